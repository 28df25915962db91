import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/platform/db/sql.js';
import { newProduct } from '../support/catalog.js';
import { runCommand } from '../support/command-line.js';
import { databaseEnv } from '../support/database.js';
import { type Feira, openFeira, type StoreClient, TEST_SECRET } from '../support/feira.js';
import { feiraCommand } from '../support/process.js';

let feira: Feira;
let store: StoreClient;
let slug: string;
let env: Record<string, string>;

beforeAll(async () => {
  feira = await openFeira();
  store = await feira.store();
  env = databaseEnv(feira.connection, TEST_SECRET);
  const [row] = await feira.context.db
    .store('test')
    .query<{ slug: string }>(sql`select slug from workspaces where id = ${store.workspaceId}`);
  slug = row!.slug;
});
afterAll(() => feira.close());

const listed = async (args: string[]) => JSON.parse((await runCommand([...args, '--json'], env)).stdout);

test('store list and app list show every store and app, as a table or as JSON', async () => {
  expect(await listed(['store', 'list'])).toEqual({
    stores: [
      {
        workspaceId: store.workspaceId,
        slug,
        name: 'Store 1',
        ownerEmail: 'owner@store.example',
        createdAt: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T/),
      },
    ],
  });
  expect((await listed(['app', 'list'])).apps).toEqual([
    expect.objectContaining({ clientId: store.clientId, redirectUris: ['https://erp.example/callback'] }),
  ]);
  const stores = (await runCommand(['store', 'list'], env)).stdout.split('\n');
  expect(stores[0]).toMatch(/^SLUG +WORKSPACE ID +NAME +OWNER +CREATED$/);
  expect(stores[1]).toMatch(new RegExp(`^${slug} +${store.workspaceId} +Store 1 +owner@store.example`));
  expect((await runCommand(['app', 'list'], env)).stdout).toMatch(
    new RegExp(`^CLIENT ID +NAME.*\n${store.clientId} +App of store 1`),
  );
});

test('--store accepts the slug as well as the id', async () => {
  await newProduct(store, { quantity: 3 });
  for (const reference of [slug, store.workspaceId]) {
    const client = ['--client-id', store.clientId];
    const token = await listed(['token', 'issue', '--store', reference, ...client, '--scope', 'orders:read']);
    expect(token.scope).toBe('orders:read');
    expect((await listed(['buy', '--store', reference])).orders).toHaveLength(1);
    expect(await listed(['store', 'limits', '--store', reference])).toMatchObject({ maxUnitsPerLine: 100 });
  }
});

test('with --json every error is one line of JSON with a code, and the exit code is 1', async () => {
  const buy = ['buy', '--count', '1', '--store'];
  const failures: [string[], string, Record<string, string>?][] = [
    [['bake'], 'invalid_usage'],
    [['buy'], 'invalid_usage'],
    [['buy', '--colour', 'red'], 'invalid_usage'],
    [[...buy, 'no-such-store'], 'store_not_found'],
    [['token', 'issue', '--store', slug, '--client-id', 'x', '--scope', 'orders:read'], 'app_not_found'],
    [['gateway', 'pay', '--order', 'x'], 'payment_not_found'],
    [['store', 'list'], 'invalid_configuration', { PORT: 'x' }],
    [['store', 'list'], 'database_unreachable', { DATABASE_URL: 'postgres://feira@127.0.0.1:1/none' }],
  ];
  for (const [args, code, more] of failures) {
    const result = await runCommand([...args, '--json'], { ...env, ...more });
    expect([args, result.code, result.stdout]).toEqual([args, 1, '']);
    expect(JSON.parse(result.stderr)).toEqual({ error: expect.stringMatching(/\w/), code });
  }
});

describe('an error', () => {
  const say = async (args: string[], more: Record<string, string> = {}, run = runCommand) => {
    const { code, stderr, stdout } = await run(args, { ...env, ...more });
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).not.toContain('    at ');
    return stderr;
  };

  test('is printed with its remedy and without a stack trace', async () => {
    expect(await say(['bake'], {}, feiraCommand)).toContain('feira --help');
    expect(await say(['store', 'make'])).toContain('"store make" is not a command');
    expect(await say(['store', 'create', '--name', 'X'])).toContain('--owner-email is missing');
    expect(await say(['store', 'create', '--colour', 'red'])).toContain('feira store create --help');
    expect(await say(['serve', '--role', 'both'])).toContain('all, api, worker');
    expect(await say(['app', 'create', '--name', 'X', '--redirect-uri', 'http://erp.example/cb'])).toContain(
      'must be https',
    );
    expect(
      await say(['token', 'issue', '--store', 'x', '--client-id', 'y', '--scope', 'products:read']),
    ).toContain('feira store create');
    expect(await say(['token', 'issue', '--store', 'x', '--client-id', 'y', '--scope', 'fly'])).toContain(
      'Unknown scope fly',
    );
    const whole = (option: string, most: number) => `--${option} must be a whole number from 1 to ${most}`;
    for (const perMinute of ['0', '1e3', '0x10', '1.0', ' 5', '1000001'])
      expect(
        await say(['budget', 'set', '--store', 'x', '--client-id', 'y', '--per-minute', perMinute]),
      ).toContain(whole('per-minute', 1_000_000));
    expect(await say(['buy', '--store', 'x', '--count', '1e3'])).toContain(whole('count', 10_000));
  });

  test('in the configuration is reported together with all others', async () => {
    const stderr = await say(['migrate'], {
      PORT: 'x',
      LOG_LEVEL: 'loud',
      PUBLIC_URL: 'feira',
      FEIRA_SECRET: 'short',
      TRUSTED_PROXIES: '10.0.0.0/8, 10.0.0.1/33 everybody, ::1',
    });
    for (const name of ['PORT', 'LOG_LEVEL', 'PUBLIC_URL', 'FEIRA_SECRET']) expect(stderr).toContain(name);
    for (const network of ['10.0.0.1/33', 'everybody'])
      expect(stderr).toContain(`10.0.0.0/8, not "${network}"`);
    for (const network of ['10.0.0.0/8', '::1']) expect(stderr).not.toContain(`not "${network}"`);
    expect(await say(['migrate'], { FEIRA_SECRET: '' })).toContain(
      'FEIRA_SECRET is required together with DATABASE_URL',
    );
  });

  test('in the configuration does not cause other error messages', async () => {
    expect(await say(['serve', '--port', 'abc'])).toBe(
      'feira: The configuration has an error:\n  - PORT must be a number from 1 to 65535, not "abc"\n',
    );
    expect(await say(['migrate'], { PUBLIC_URL: 'feira', PORT: '0' })).not.toContain('MEDIA_URL');
  });

  test('caused by an option without a value names the option', async () => {
    expect(await say(['serve', '--port='])).toContain('--port needs a value');
    expect(await say(['serve', '--role', ' '])).toContain('--role needs a value');
    expect(await say(['buy', '--store', ''])).toContain('--store needs a value');
    expect(
      await say(['app', 'create', '--name', 'X', '--redirect-uri', 'https://a.example', '--redirect-uri=']),
    ).toContain('--redirect-uri needs a value');
  });

  test('in FEIRA_DATA names the variable', async () => {
    const embedded = { DATABASE_URL: '', FEIRA_SECRET: '' };
    for (const FEIRA_DATA of [import.meta.filename, '/dev/null/feira'])
      expect(await say(['migrate'], { ...embedded, FEIRA_DATA })).toContain(`FEIRA_DATA (${FEIRA_DATA})`);
    const { code, stdout } = await runCommand(['doctor'], { ...embedded, FEIRA_DATA: '/dev/null/feira' });
    expect(code).toBe(1);
    expect(stdout).toContain('FAULT  configuration: FEIRA_DATA (/dev/null/feira)');
  });

  test('in DATABASE_URL names the variable', async () => {
    expect(await say(['migrate'], { DATABASE_URL: 'postgres://feira@127.0.0.1:1/none' })).toContain(
      'DATABASE_URL does not work',
    );
  });

  test('caused by a failing migration names the migration and not DATABASE_URL', async () => {
    const { autocommit } = feira.context.db.store('test');
    const name = '0080_accent_colors.sql';
    await autocommit.query(sql`delete from schema_migrations where name = ${name}`);
    const said = await say(['migrate']);
    await autocommit.query(sql`insert into schema_migrations (name) values (${name})`);
    expect(said).toContain(
      `Migration ${name} failed: column "accent_color" of relation "workspaces" already exists.`,
    );
    expect(said).not.toContain('DATABASE_URL');
  });

  test('caused by a port in use says so', async () => {
    await feira.app.listen({ host: '0.0.0.0', port: 0 });
    const { port } = feira.app.server.address() as AddressInfo;
    expect(await say(['serve'], { PORT: String(port) })).toContain('is taken');
  });

  test.each(['192.0.2.1', 'no-such-host.invalid'])(
    'caused by a HOST or METRICS_HOST that is not an address of this machine says so: %s',
    async (HOST) => {
      const message = `${HOST} is not an address of this machine. Change HOST or METRICS_HOST`;
      expect(await say(['serve'], { HOST })).toContain(message);
      expect(await say(['serve'], { METRICS_HOST: HOST, METRICS_PORT: '9464' })).toContain(message);
    },
  );
});
