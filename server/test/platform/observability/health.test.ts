import { chmodSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { buildMonitorApp } from '../../../src/app.js';
import { readConfig } from '../../../src/platform/config.js';
import { startEmbeddedPostgres } from '../../../src/platform/embedded-postgres/start.js';
import { type Feira, openFeira } from '../../support/feira.js';
import { temporaryFolder, until } from '../../support/process.js';

let feira: Feira;
afterEach(() => feira.close());

const get = (path: string) => feira.app.inject({ url: path });

describe('on the public port', () => {
  beforeEach(async () => {
    feira = await openFeira();
  });

  test('/readyz checks the storage only once, however many requests arrive at the same time', async () => {
    const storage = vi.spyOn(feira.context.storage, 'check');
    const answers = await Promise.all(Array.from({ length: 50 }, () => get('/readyz')));
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
    expect(storage).toHaveBeenCalledTimes(1);
    expect(answers[0]!.json()).toEqual({
      status: 'ok',
      checks: { database: 'ok', storage: 'ok', budgets: 'ok' },
    });
  });

  test('a percent-encoded path is treated as the plain one', async () => {
    for (const [plain, encoded] of [
      ['/metrics', '/%6detrics'],
      ['/readyz', '/%72eadyz'],
    ])
      expect((await get(encoded!)).statusCode).toBe((await get(plain!)).statusCode);
  });

  test('/metrics exports counters, a histogram and the state of the database', async () => {
    const { body } = await get('/metrics');
    expect(body).toContain('# TYPE feira_deliveries_delivered_total counter');
    expect(body).toContain('# TYPE feira_deliveries_failed_total counter');
    expect(body).toContain('# TYPE feira_http_request_duration_seconds histogram');
    expect(body).toContain('feira_database_up 1');
  });
});

test('with a monitoring port, /metrics and /readyz are served only there', async () => {
  feira = await openFeira({ publicRoutes: { readiness: false, metrics: false } });
  for (const path of ['/metrics', '/%6detrics', '/readyz']) expect((await get(path)).statusCode).toBe(404);
  expect((await get('/healthz')).statusCode).toBe(200);
  const monitor = buildMonitorApp(feira.context);
  for (const path of ['/metrics', '/readyz', '/healthz'])
    expect((await monitor.inject({ url: path })).statusCode).toBe(200);
  await get('/healthz');
  expect((await monitor.inject({ url: '/metrics' })).body).toContain('route="/healthz"');
  expect((await monitor.inject({ url: '/api/v1/me' })).statusCode).toBe(404);
  await monitor.close();
});

test('while the database is down, /metrics and /healthz respond with 200, and /metrics and /readyz report the outage', async () => {
  const folder = temporaryFolder();
  // When tests run as root, PostgreSQL runs under another account, which must be able to enter the folder.
  chmodSync(folder.path, 0o711);
  const postgres = await startEmbeddedPostgres({ folder: folder.path, settings: { fsync: 'off' } });
  feira = await openFeira({ connection: postgres.connection });
  await postgres.close();
  folder.remove();
  await until(async () => (await get('/metrics')).body.includes('feira_database_up 0'));
  const { statusCode, body } = await get('/metrics');
  expect(statusCode).toBe(200);
  expect(body).toContain('feira_deliveries_delivered_total 0');
  expect(body).not.toMatch(/^feira_deliveries_due \d/m);
  expect((await get('/healthz')).statusCode).toBe(200);
  const ready = await get('/readyz');
  expect([ready.statusCode, ready.json().checks.database]).toEqual([503, 'unreachable']);
});

describe('the configuration', () => {
  beforeEach(async () => {
    feira = await openFeira();
  });
  const routes = (env: Record<string, string>) => {
    const secret = { FEIRA_SECRET: 'a secret for the test of the configuration' };
    const { publicRoutes, monitor } = readConfig({ ...secret, ...env });
    return { ...publicRoutes, monitor };
  };

  test('keeps /metrics off the public port if PUBLIC_URL is a public address, unless METRICS_PUBLIC is true', () => {
    const publicUrl = { PUBLIC_URL: 'https://api.example.com' };
    expect(routes({})).toEqual({ readiness: true, metrics: true, monitor: undefined });
    expect(routes(publicUrl)).toEqual({ readiness: true, metrics: false, monitor: undefined });
    expect(routes({ ...publicUrl, METRICS_PUBLIC: 'true' })).toMatchObject({ metrics: true });
  });

  test('moves /metrics and /readyz to METRICS_PORT', () => {
    expect(routes({ METRICS_PORT: '9100' })).toEqual({
      readiness: false,
      metrics: false,
      monitor: { host: '127.0.0.1', port: 9100 },
    });
    expect(routes({ METRICS_PORT: '9100', METRICS_HOST: '10.0.0.5' }).monitor?.host).toBe('10.0.0.5');
    expect(() => routes({ METRICS_PORT: 'x' })).toThrow('METRICS_PORT');
    expect(() => routes({ METRICS_PORT: '3000' })).toThrow('METRICS_PORT');
    expect(() => routes({ METRICS_HOST: '10.0.0.5' })).toThrow('METRICS_PORT');
  });
});
