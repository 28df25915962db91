import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { newProduct } from '../support/catalog.js';
import { expectErrorShape } from '../support/expect-rejected.js';
import { type Answer, type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { until } from '../support/process.js';
import { order } from '../support/shop.js';

let feira: Feira;
let store: StoreClient;
let locker: pg.Client;

beforeAll(async () => {
  feira = await openFeira();
  store = await feira.store();
  const productId = await newProduct(store, { quantity: 10 });
  await order(feira, store.workspaceId, { productId, variantId: null, quantity: 1 });
});
afterAll(() => feira.close());
beforeEach(async () => {
  locker = new pg.Client(feira.connection);
  await locker.connect();
  await locker.query('begin');
  await locker.query('lock table orders, customers in access exclusive mode');
});
afterEach(() => locker.end());

const PATHS = ['/orders?search=bia', '/customers?search=bia'];

function expectBusy(answer: Answer): void {
  expect([answer.status, answer.body.code, answer.headers['retry-after']]).toEqual([503, 'busy', '1']);
  expectErrorShape(answer);
}

async function waitForLock(): Promise<void> {
  await until(async () => {
    const { rows } = await locker.query(
      'select from pg_locks join pg_database d on d.oid = database where not granted and datname = current_database()',
    );
    return rows.length > 0;
  });
}

test.each(PATHS)(
  '%s returns 503 busy when it waits too long for another search, and that search is answered',
  async (path) => {
    const shortWait = await openFeira({ on: feira, deadlines: { waitMs: 20 } });
    try {
      const first = store.through(shortWait).get(path);
      await waitForLock();
      expectBusy(await store.through(shortWait).get(path));
      await locker.query('rollback');
      expect((await first).status).toBe(200);
    } finally {
      await shortWait.close();
    }
  },
);

test.each(PATHS)('%s returns 503 busy when its statement takes too long', async (path) => {
  // The timeout must be long enough for the statements before the search, even on a busy machine.
  const strict = await openFeira({ on: feira, deadlines: { statementMs: 1_000 } });
  try {
    expectBusy(await store.through(strict).get(path));
  } finally {
    await strict.close();
  }
});

test.each(PATHS)('%s returns 502 when it waits too long for a lock on a table', async (path) => {
  const strict = await openFeira({ on: feira, deadlines: { lockMs: 50 } });
  try {
    const { status, body } = await store.through(strict).get(path);
    expect([status, body.code]).toEqual([502, 'orders_unavailable']);
  } finally {
    await strict.close();
  }
});

test.each(['/orders', '/customers'])(
  '%s without a search returns 502 when a statement takes too long',
  async (path) => {
    const strict = await openFeira({ on: feira, deadlines: { statementMs: 50 } });
    try {
      const { status, body } = await store.through(strict).get(path);
      expect([status, body.code]).toEqual([502, 'orders_unavailable']);
    } finally {
      await strict.close();
    }
  },
);
