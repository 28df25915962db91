import { chmodSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../../src/platform/config.js';
import type { ConfigError } from '../../../src/platform/config-errors.js';
import { runCommand } from '../../support/command-line.js';
import { cloneDatabase, databaseEnv } from '../../support/database.js';
import { temporaryFolder } from '../../support/process.js';

const SECRET = '6f1c2b7a9d4e8035b1a7c6d2e9f40813';
let folder: ReturnType<typeof temporaryFolder>;

beforeAll(() => {
  folder = temporaryFolder();
  chmodSync(folder.path, 0o711);
});
afterAll(() => folder.remove());

const read = (env: Record<string, string>) =>
  readConfig({
    ...{ HOST: '', PUBLIC_URL: '', DATABASE_URL: '', WEBHOOK_ALLOW_PRIVATE: '', PAYMENT_GATEWAY: '' },
    ...{ FEIRA_SECRET: SECRET, FEIRA_DATA: folder.path, ...env },
  });
const faultsOf = (env: Record<string, string>): string[] => {
  try {
    read(env);
    return [];
  } catch (error) {
    return (error as ConfigError).faults;
  }
};
const DATABASE_URL = 'postgres://db.internal/feira';
const PUBLIC_URL = 'https://feira.example';

describe('PUBLIC_URL', () => {
  test.each([
    [{ HOST: '0.0.0.0' }, 'PUBLIC_URL is required when HOST is not loopback'],
    [{ HOST: '::' }, 'PUBLIC_URL is required when HOST is not loopback'],
    [{ HOST: '192.0.2.1' }, 'PUBLIC_URL is required when HOST is not loopback'],
    [{ DATABASE_URL }, 'PUBLIC_URL is required together with DATABASE_URL'],
    [{ PUBLIC_URL: 'http://feira.example' }, 'PUBLIC_URL must begin with https://'],
    [{ PUBLIC_URL: 'http://10.0.0.1:3000' }, 'PUBLIC_URL must begin with https://'],
    [{ PUBLIC_URL: 'http://localhost.example' }, 'PUBLIC_URL must begin with https://'],
    ...['?a=1', '#a', '/?', '#'].map((end) => [
      { PUBLIC_URL: `https://feira.example${end}` },
      'PUBLIC_URL must be an http(s)',
    ]),
    ...['user@', ':password@'].map((login) => [
      { PUBLIC_URL: `https://${login}feira.example` },
      'PUBLIC_URL must be an http(s)',
    ]),
  ] as [Record<string, string>, string][])('%o is rejected', (env, fault) => {
    expect(faultsOf(env)).toEqual([expect.stringContaining(fault)]);
  });

  test.each([
    {},
    { HOST: 'localhost' },
    { HOST: '::1' },
    { HOST: '0.0.0.0', PUBLIC_URL },
    { HOST: '0.0.0.0', PUBLIC_URL: 'http://localhost:3000' },
    { DATABASE_URL, PUBLIC_URL: 'http://127.0.0.1:8080' },
    { DATABASE_URL, PUBLIC_URL },
  ])('%o is accepted', (env) => {
    expect(faultsOf(env)).toEqual([]);
  });
});

describe('private webhook targets', () => {
  test('are allowed by default only if nothing but this machine can reach the server', () => {
    expect(read({}).webhooks.allowPrivate).toBe(true);
    for (const env of [{ PUBLIC_URL }, { HOST: '0.0.0.0', PUBLIC_URL: 'http://localhost:3000' }])
      expect(read(env).webhooks.allowPrivate).toBe(false);
    const asked = { HOST: '0.0.0.0', PUBLIC_URL: 'http://localhost:3000', WEBHOOK_ALLOW_PRIVATE: 'true' };
    expect(read(asked).webhooks.allowPrivate).toBe(true);
  });
});

describe('PAYMENT_GATEWAY', () => {
  test('is "sandbox" on loopback and "none" on a public address by default', () => {
    expect(read({})).toMatchObject({ paymentGateway: 'sandbox', isTestShop: false });
    expect(read({ PUBLIC_URL })).toMatchObject({ paymentGateway: 'none', isTestShop: false });
    expect(read({ PAYMENT_GATEWAY: 'none' }).paymentGateway).toBe('none');
  });

  test('is "sandbox" on a public address only with SANDBOX_ON_PUBLIC_URL, and invalid values are rejected', () => {
    expect(faultsOf({ PUBLIC_URL, PAYMENT_GATEWAY: 'sandbox' })).toEqual([
      expect.stringContaining('SANDBOX_ON_PUBLIC_URL=true'),
    ]);
    const asked = { PUBLIC_URL, SANDBOX_ON_PUBLIC_URL: 'true' };
    for (const env of [asked, { ...asked, PAYMENT_GATEWAY: 'sandbox' }])
      expect(read(env)).toMatchObject({ paymentGateway: 'sandbox', isTestShop: true });
    expect(faultsOf({ PAYMENT_GATEWAY: 'stripe' })).toEqual([
      expect.stringContaining('PAYMENT_GATEWAY must be sandbox or none'),
    ]);
    expect(read({ PUBLIC_URL, SANDBOX_ON_PUBLIC_URL: '1' }).isTestShop).toBe(true);
    expect(read({ PUBLIC_URL, SANDBOX_ON_PUBLIC_URL: '0' }).isTestShop).toBe(false);
    expect(faultsOf({ SANDBOX_ON_PUBLIC_URL: 'yes' })).toEqual([
      expect.stringContaining('SANDBOX_ON_PUBLIC_URL must be true or false'),
    ]);
  });

  test('is reported by "feira doctor", and if it is "none", "feira gateway pay" fails', async () => {
    const { connection, drop } = await cloneDatabase();
    const env = { ...databaseEnv(connection, SECRET), PAYMENT_GATEWAY: 'none' };
    const doctor = await runCommand(['doctor'], env);
    expect(doctor.stdout).toContain('payments: no payment gateway, so shops cannot take orders');
    const paid = await runCommand(['gateway', 'pay', '--order', 'x'], env);
    expect([paid.code, paid.stderr]).toEqual([2, expect.stringContaining('PAYMENT_GATEWAY is none')]);
    await drop();
  });
});
