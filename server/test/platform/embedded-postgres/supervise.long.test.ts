import { once } from 'node:events';
import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { prepareLocation } from '../../../src/platform/embedded-postgres/location.js';
import { readPostmaster } from '../../../src/platform/embedded-postgres/postmaster.js';
import { startEmbeddedPostgres } from '../../../src/platform/embedded-postgres/start.js';
import { Supervisor } from '../../../src/platform/embedded-postgres/supervise.js';
import { createLog } from '../../../src/platform/observability/log.js';
import { type ServerProcess, startServer, temporaryFolder, until } from '../../support/process.js';

let folder: ReturnType<typeof temporaryFolder>;
let dataFolder: string;
let server: ServerProcess;

beforeEach(async () => {
  folder = temporaryFolder();
  chmodSync(folder.path, 0o755);
  dataFolder = join(folder.path, 'data');
  server = await startServer({ FEIRA_DATA: dataFolder });
  await until(() => server.output().includes('curl'));
});
afterEach(async () => {
  if (server.child.exitCode === null) await server.stop('SIGKILL');
  folder.remove();
});

const data = () => prepareLocation(dataFolder).data;
const postmasterPid = () => Number(readFileSync(join(data(), 'postmaster.pid'), 'utf8').split('\n')[0]);
const status = async (path: string) => (await fetch(server.url + path)).status;

test('PostgreSQL is restarted after it was killed, and calls succeed again', async () => {
  const { token } = JSON.parse(readFileSync(join(dataFolder, 'demo.json'), 'utf8'));
  const first = postmasterPid();
  process.kill(first, 'SIGKILL');
  // Readiness is checked at most once a second, so /readyz may miss a quick restart. The log shows that it happened.
  await until(() => server.output().includes('PostgreSQL was restarted'));
  expect(await status('/healthz')).toBe(200);
  await until(async () => (await status('/readyz')) === 200);
  expect(postmasterPid()).not.toBe(first);
  const made = await fetch(`${server.url}/api/v1/products`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'After the crash', price: 1 }),
  });
  expect(made.status).toBe(201);
  expect(server.output()).toContain('PostgreSQL exited; restarting it');
  expect(await (await fetch(`${server.url}/metrics`)).text()).toContain(
    'feira_embedded_postgres_restarts_total 1',
  );
  expect(await server.stop('SIGTERM')).toBe(0);
});

test('the server exits and logs the reason when PostgreSQL does not start again', async () => {
  const ended = once(server.child, 'exit');
  const pid = postmasterPid();
  rmSync(join(data(), 'global', 'pg_control'));
  process.kill(pid, 'SIGKILL');
  expect((await ended)[0]).toBe(1);
  expect(server.output()).toContain('exited or failed to start 5 times in a row');
});

test('the supervisor gives up after five failed starts, even if PostgreSQL had run for a long time', async () => {
  const path = join(folder.path, 'supervised');
  let now = 0;
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => lines.push(line) });
  const supervisor = new Supervisor(path, await startEmbeddedPostgres({ folder: path }), log, () => now);
  now = 61_000;
  const location = prepareLocation(path);
  const { pid } = readPostmaster(location)!;
  rmSync(join(location.data, 'global', 'pg_control'));
  process.kill(pid, 'SIGKILL');
  await supervisor.gaveUp;
  expect(lines.filter((line) => line.includes('PostgreSQL could not be started'))).toHaveLength(5);
  await supervisor.close();
});
