import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { emit } from '../../src/events/outbox.js';
import { sql } from '../../src/platform/db/sql.js';
import { newProduct } from '../support/catalog.js';
import { cloneDatabase } from '../support/database.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';

let feira: Feira;

beforeAll(async () => {
  feira = await openFeira();
});
afterAll(() => feira.close());

async function namesOf(store: StoreClient): Promise<string[]> {
  const { body } = await store.get('/events');
  return body.data.map(({ data }: { data: { name: string } }) => data.name);
}

test('an open write transaction in another database of the cluster does not delay events', async () => {
  const other = await cloneDatabase();
  const client = new pg.Client(other.connection);
  await client.connect();
  try {
    await client.query('begin');
    await client.query(`insert into categories (id, name) values (999, 'Open')`);
    const store = await feira.store();
    await newProduct(store, { name: 'Now' });
    expect(await namesOf(store)).toEqual(['Now']);
  } finally {
    await client.end();
    await other.drop();
  }
});

test('an open transaction that has written events of one store does not delay the events of another', async () => {
  const [store, other] = [await feira.store(), await feira.store()];
  const open = await feira.context.db.store('test').begin();
  await emit(open, other.workspaceId, 'system', [
    { event: 'product.created', data: { id: 'x', name: 'Late' } },
  ]);
  await newProduct(store, { name: 'Now' });
  expect(await namesOf(store)).toEqual(['Now']);
  await open.commit();
  expect(await namesOf(other)).toEqual(['Late']);
});

test('an open transaction that has locked a product does not delay the events of other products of the store', async () => {
  const store = await feira.store();
  const held = await newProduct(store, { name: 'Held' });
  const open = await feira.context.db.store('test').begin();
  await open.query(sql`
    update products set quantity = 9 where workspace_id = ${store.workspaceId} and id = ${held}`);
  await newProduct(store, { name: 'Now' });
  expect(await namesOf(store)).toEqual(['Held', 'Now']);
  await open.rollback();
});

test('a store whose row in event_heads is locked by an open transaction does not delay the events of other stores', async () => {
  const [store, other] = [await feira.store(), await feira.store()];
  await newProduct(other, { name: 'First' });
  await namesOf(other);
  const open = await feira.context.db.store('test').begin();
  await open.query(sql`select from event_heads where workspace_id = ${other.workspaceId} for update`);
  await newProduct(other, { name: 'Waits' });
  await newProduct(store, { name: 'Now' });
  const second = await openFeira({ on: feira });
  second.context.sequencer.start();
  expect(await namesOf(store)).toEqual(['Now']);
  await open.rollback();
  expect(await namesOf(other)).toEqual(['First', 'Waits']);
  await second.context.sequencer.stop();
  await second.close();
});
