import { afterEach, expect, test } from 'vitest';
import { readConfig } from '../../../src/platform/config.js';
import { newProduct } from '../../support/catalog.js';
import { cloneDatabase, databaseEnv } from '../../support/database.js';
import { type Feira, openFeira, TEST_SECRET } from '../../support/feira.js';
import { temporaryFolder, until } from '../../support/process.js';

let feira: Feira;
let drop: () => Promise<void> = async () => {};
afterEach(async () => {
  await feira?.close();
  await drop();
});

const get = (path: string) => feira.app.inject({ url: path });

async function expectListsFromPrimary(): Promise<void> {
  const store = await feira.store();
  const id = await newProduct(store);
  expect((await store.get('/products')).body.data).toMatchObject([{ id }]);
  expect((await get('/metrics')).body).toContain('feira_replica_used 0');
}

test('without a replica neither /readyz nor /metrics mentions one', async () => {
  feira = await openFeira();
  expect((await get('/readyz')).json()).not.toHaveProperty('replica');
  expect((await get('/metrics')).body).not.toContain('replica');
});

test('if the replica cannot be reached, lists are read from the primary and the process is ready', async () => {
  const folder = temporaryFolder();
  const connection = { host: folder.path, port: 5432, user: 'feira', database: 'none' };
  feira = await openFeira({ replica: { connection, maxLagMs: 5_000 } });
  await expectListsFromPrimary();
  const ready = await get('/readyz');
  expect(ready.statusCode).toBe(200);
  expect(ready.json()).toMatchObject({ status: 'ok', replica: { state: 'unreachable' } });
  folder.remove();
});

test('a server that is not a standby, such as the primary itself, is not used as a replica', async () => {
  const cloned = await cloneDatabase();
  drop = cloned.drop;
  const { connection } = cloned;
  feira = await openFeira({ connection, replica: { connection, maxLagMs: 5_000 } });
  await until(async () => (await get('/readyz')).json().replica.state === 'not_a_standby');
  await expectListsFromPrimary();
});

test('invalid replica settings are reported at startup', () => {
  const env = {
    ...databaseEnv({ host: '/tmp', port: 5432, user: 'feira', database: 'none' }, TEST_SECRET),
    PUBLIC_URL: 'http://localhost:3000',
  };
  const faultsOf = (more: NodeJS.ProcessEnv) => () => readConfig({ ...env, ...more });
  expect(faultsOf({ REPLICA_URL: 'mysql://replica' })).toThrow('REPLICA_URL must start with postgres://');
  expect(faultsOf({ REPLICA_MAX_LAG_MS: '5000' })).toThrow('REPLICA_MAX_LAG_MS needs REPLICA_URL');
  const url = { REPLICA_URL: 'postgres://feira@replica/feira' };
  expect(faultsOf({ ...url, REPLICA_MAX_LAG_MS: '500' })).toThrow('at least 2000, not "500"');
  expect(faultsOf({ ...url, DATABASE_URL: '' })).toThrow('REPLICA_URL needs DATABASE_URL');
  expect(readConfig({ ...env, ...url }).replica).toMatchObject({ maxLagMs: 5_000 });
});
