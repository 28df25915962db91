import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { emit } from '../../src/events/outbox.js';
import { disconnectApp } from '../../src/oauth/revocation.js';
import { createGrant } from '../../src/oauth/tokens.js';
import { sql } from '../../src/platform/db/sql.js';
import { startWorker, type Worker } from '../../src/worker.js';
import { newProduct } from '../support/catalog.js';
import { expectRejected } from '../support/expect-rejected.js';
import { readFeed } from '../support/feed.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { until } from '../support/process.js';
import { Receiver } from '../support/receiver.js';
import { otherAppOf, pass, readLog, type Subscription, stopTime, subscribe } from '../support/webhooks.js';

let feira: Feira;
let worker: Worker;
let receiver: Receiver;
let store: StoreClient;
let hook: Subscription;
const LONGER_THAN_ANY_WAIT = 24 * 60 * 60 * 1000;

beforeAll(async () => {
  feira = await openFeira();
  stopTime(feira);
  worker = startWorker(feira.context);
});
afterAll(async () => {
  await worker.stop();
  await feira.close();
});
beforeEach(async () => {
  receiver = await Receiver.open();
  store = await feira.store();
  hook = await subscribe(store, `${receiver.url}/hook`);
  return () => receiver.close();
});

const fail: Receiver['answer'] = (_, response) => void response.writeHead(503).end();
const succeed: Receiver['answer'] = (_, response) => void response.writeHead(200).end();

async function write(count: number): Promise<void> {
  const writer = await store.withScopes(['products:write']);
  for (let i = 0; i < count; i++) await newProduct(writer);
}

/** Advances the clock until all five attempts of every pending delivery have failed. */
async function loseAll(): Promise<void> {
  const pending = await readLog(store, hook.id, '?status=pending&limit=100');
  for (let attempt = 1; attempt <= 5; attempt++) {
    await until(async () => {
      const log = await readLog(store, hook.id, '?limit=100');
      return pending.every(({ id }) => log.find((each) => each.id === id)!.attempts.length === attempt);
    });
    pass(feira, LONGER_THAN_ANY_WAIT);
  }
}

async function status(): Promise<string> {
  const { body } = await (await store.withScopes(['webhooks:manage'])).get('/webhooks');
  return body.data[0].status;
}

describe('a delivery', () => {
  test('is not sent again after its first success, here the third attempt', async () => {
    receiver.answer = ({ headers }, response) =>
      void response.writeHead(headers['x-service-attempt'] === '3' ? 204 : 500).end();
    await write(1);
    for (const attempt of [1, 2, 3]) {
      await until(async () => (await readLog(store, hook.id))[0]!.attempts.length === attempt);
      pass(feira, LONGER_THAN_ANY_WAIT);
    }
    receiver.answer = succeed;
    await write(1);
    await until(async () => (await readLog(store, hook.id, '?status=delivered')).length === 2);
    expect(receiver.received).toHaveLength(4);
    const log = await readLog(store, hook.id);
    expect(log[1]!.attempts.map(({ statusCode }) => statusCode)).toEqual([500, 500, 204]);
  });

  test('that keeps failing is due again after waits of 5, 75, 1,125 and 16,875 seconds, plus or minus 20%', async () => {
    receiver.answer = fail;
    await write(1);
    for (const [i, wait] of [5_000, 75_000, 1_125_000, 16_875_000].entries()) {
      await until(async () => (await readLog(store, hook.id))[0]!.attempts.length === i + 1);
      const [{ attempts, nextAttemptAt }] = (await readLog(store, hook.id)) as [never];
      const { at } = (attempts as { at: string }[])[i]!;
      const waits = Date.parse(nextAttemptAt) - Date.parse(at);
      expect(waits).toBeGreaterThanOrEqual(0.8 * wait);
      expect(waits).toBeLessThanOrEqual(1.2 * wait);
      pass(feira, waits);
    }
  });

  test('that is redelivered gets five more attempts, and the first of them is followed by a short wait', async () => {
    receiver.answer = fail;
    await write(1);
    await loseAll();
    const [lost] = await readLog(store, hook.id, '?status=failed');
    const owner = await store.withScopes(['webhooks:manage']);
    await owner.post(`/webhooks/${hook.id}/deliveries/${lost!.id}/redeliver`, {});
    for (let attempt = 6; attempt <= 10; attempt++) {
      await until(async () => (await readLog(store, hook.id))[0]!.attempts.length === attempt);
      const [{ nextAttemptAt, attempts }] = (await readLog(store, hook.id)) as [never];
      if (attempt === 6)
        expect(Date.parse(nextAttemptAt) - Date.parse((attempts as { at: string }[])[5]!.at)).toBeLessThan(
          10_000,
        );
      pass(feira, LONGER_THAN_ANY_WAIT);
    }
    await until(async () => (await readLog(store, hook.id))[0]!.status === 'failed');
    expect(receiver.received).toHaveLength(10);
  });
});

describe('a subscription', () => {
  test('is failing after five failed deliveries in a row, and active after the next success', async () => {
    receiver.answer = fail;
    await write(4);
    await loseAll();
    await until(async () => (await readLog(store, hook.id, '?status=failed')).length === 4);
    expect(await status()).toBe('active');
    await write(1);
    await loseAll();
    await until(async () => (await status()) === 'failing');

    receiver.answer = succeed;
    await write(1);
    await until(async () => (await status()) === 'active');
  });

  test('is not failing if a delivery succeeds between the failed ones', async () => {
    for (const lost of [3, 3]) {
      receiver.answer = fail;
      await write(lost);
      await loseAll();
      expect(await status()).toBe('active');
      receiver.answer = succeed;
      await write(1);
      await until(async () => (await readLog(store, hook.id, '?limit=1'))[0]!.status === 'delivered');
    }
  });

  test('that is deleted gets no more deliveries, and its log is not found', async () => {
    receiver.answer = fail;
    await write(2);
    await until(async () => (await readLog(store, hook.id)).every(({ attempts }) => attempts.length === 1));
    expect((await store.delete(`/webhooks/${hook.id}`)).status).toBe(200);
    expectRejected(await store.get(`/webhooks/${hook.id}/deliveries`), 404);
    pass(feira, LONGER_THAN_ANY_WAIT);
    await until(async () => (await rowsOf(hook.id)).every(({ status }) => status === 'failed'));
    expect(receiver.received).toHaveLength(2);
  });

  test('that is deleted before a change commits leaves no pending delivery', async () => {
    const tx = await feira.context.db.store('test').begin();
    await emit(tx, store.workspaceId, 'system', [
      { event: 'product.created', data: { id: 'late', name: 'late' } },
    ]);
    expect((await store.delete(`/webhooks/${hook.id}`)).status).toBe(200);
    await tx.commit();
    await numbered('late');
    expect(await rowsOf(hook.id)).toEqual([]);
    expect(receiver.received).toEqual([]);
  });

  test('of a disconnected app gets no more deliveries, neither new nor pending ones', async () => {
    receiver.answer = fail;
    await write(1);
    await until(async () => (await readLog(store, hook.id))[0]!.attempts.length === 1);
    await disconnect();
    await feira.context.db
      .store('test')
      .transaction((tx) =>
        emit(tx, store.workspaceId, 'system', [
          { event: 'product.created', data: { id: 'new', name: 'new' } },
        ]),
      );
    await numbered('new');
    expect(await rowsOf(hook.id)).toHaveLength(1);
    pass(feira, LONGER_THAN_ANY_WAIT);
    await until(async () => (await rowsOf(hook.id)).every(({ status }) => status === 'failed'));
    expect(receiver.received).toHaveLength(1);
  });

  test('of a disconnected app gets no deliveries after an approval that was not exchanged for tokens', async () => {
    receiver.answer = fail;
    await write(1);
    await until(async () => (await readLog(store, hook.id))[0]!.attempts.length === 1);
    await disconnect();
    const { workspaceId, clientId } = store;
    await feira.context.db
      .store('test')
      .transaction((tx) =>
        createGrant(tx, { workspaceId, clientId, userId: null, scopes: ['webhooks:manage'] }),
      );
    await feira.context.db
      .store('test')
      .transaction((tx) =>
        emit(tx, workspaceId, 'system', [{ event: 'product.created', data: { id: 'new', name: 'new' } }]),
      );
    await numbered('new');
    expect(await rowsOf(hook.id)).toHaveLength(1);
    pass(feira, LONGER_THAN_ANY_WAIT);
    await until(async () => (await rowsOf(hook.id)).every(({ status }) => status === 'failed'));
    expect(receiver.received).toHaveLength(1);
  });

  test('stays active if deliveries are not sent because the app is disconnected', async () => {
    receiver.answer = fail;
    await write(6);
    await until(async () => (await readLog(store, hook.id)).every(({ attempts }) => attempts.length === 1));
    await disconnect();
    pass(feira, LONGER_THAN_ANY_WAIT);
    await until(async () => (await rowsOf(hook.id)).every(({ status }) => status === 'failed'));
    expect(await status()).toBe('active');
  });

  function disconnect(): Promise<void> {
    return feira.context.db
      .store('test')
      .transaction((tx) => disconnectApp(tx, store.workspaceId, store.clientId));
  }

  /**
   * Returns once the event about this product is numbered, which is when its deliveries are added. All events are
   * numbered when the feed is read. Another app reads it, because a new token would connect this app again.
   */
  async function numbered(productId: string): Promise<void> {
    const { data } = await readFeed(await otherAppOf(feira, store));
    expect(data.map((event) => event.data.id)).toContain(productId);
  }

  function rowsOf(webhookId: string): Promise<{ status: string }[]> {
    return feira.context.db.store('test').query(sql`
      select status from deliveries where workspace_id = ${store.workspaceId} and webhook_id = ${webhookId}`);
  }
});
