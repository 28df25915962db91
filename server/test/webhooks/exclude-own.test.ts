import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { EVENT_NAMES } from '../../src/events/names.js';
import { expireUnpaid, lockPaymentState } from '../../src/orders/lifecycle.js';
import { finishRefunds, requestRefund } from '../../src/orders/refund.js';
import { scan } from '../../src/shipping/shipments.js';
import { startWorker, type Worker } from '../../src/worker.js';
import { CALLS_WITH_EVENTS, paidOrder } from '../support/calls-with-events.js';
import { newProduct } from '../support/catalog.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { transactionOf } from '../support/orders.js';
import { until } from '../support/process.js';
import { Receiver } from '../support/receiver.js';
import { order } from '../support/shop.js';
import { sized } from '../support/sized.js';
import { otherAppOf, readLog, type Subscription, subscribe } from '../support/webhooks.js';

let feira: Feira;
let worker: Worker;
let receiver: Receiver;
/** Two apps that are connected to one store. */
let mine: StoreClient;
let theirs: StoreClient;
let hooks: { client: StoreClient; hook: Subscription; path: string; wants: (origin: string) => boolean }[];

beforeAll(async () => {
  feira = await openFeira();
  worker = startWorker(feira.context);
});
afterAll(async () => {
  await worker.stop();
  await feira.close();
});
beforeEach(async () => {
  receiver = await Receiver.open();
  mine = await feira.store();
  theirs = await otherAppOf(feira, mine);
  const own = (client: StoreClient, path: string) => ({
    client,
    path,
    settings: { excludeOwn: true },
    wants: (origin: string) => origin !== `app:${client.clientId}`,
  });
  const everything = { client: mine, path: '/all', settings: {}, wants: () => true };
  hooks = [];
  for (const { settings, ...each } of [own(mine, '/mine'), own(theirs, '/theirs'), everything]) {
    const url = receiver.url + each.path;
    hooks.push({ ...each, hook: await subscribe(each.client, url, [...EVENT_NAMES], settings) });
  }
  return () => receiver.close();
});

interface FeedEntry {
  id: string;
  sequence: number;
  event: string;
  origin: string;
}

async function feed(): Promise<FeedEntry[]> {
  return (await mine.get('/events?limit=100')).body.data;
}

/** Expects that each subscription received exactly the events it wants: all, or all that its own app did not cause. */
async function expectExactly(events: FeedEntry[]): Promise<void> {
  for (const { client, hook, path, wants } of hooks) {
    const wanted = events.filter(({ origin }) => wants(origin)).map(headersOf);
    await until(async () => {
      const log = await readLog(client, hook.id, '?limit=100');
      return log.length === wanted.length && log.every(({ status }) => status === 'delivered');
    });
    const received = receiver.received.filter((request) => request.path === path);
    const actual = received.map(({ headers }) => Object.keys(wanted[0]!).map((name) => headers[name]));
    expect(actual.sort()).toEqual(wanted.map((headers) => Object.values(headers)).sort());
  }
}

/** The headers of a delivery that correspond to fields of the feed. */
function headersOf({ id, sequence, event, origin }: FeedEntry): Record<string, string> {
  return {
    'x-service-delivery': id,
    'x-service-sequence': String(sequence),
    'x-service-event': event,
    'x-service-origin': origin,
  };
}

/**
 * Divides the routes into groups. The routes of a group share a store and its subscriptions, because creating these
 * takes longer than the calls.
 */
function chunksOf(size: number, routes: string[]): string[][] {
  return Array.from({ length: Math.ceil(routes.length / size) }, (_, n) =>
    routes.slice(n * size, (n + 1) * size),
  );
}

const WITHOUT_EVENT = [/^\w+ \/webhooks/, /^POST \/uploads$/, /^DELETE \/orders\/:id\/invoices\//];

describe('excludeOwn', () => {
  test('is tested with every API call that emits an event', () => {
    const writes = feira.app.apiRoutes
      .filter(({ method }) => !['GET', 'HEAD'].includes(method))
      .map(({ method, url }) => `${method} ${url.replace('/api/v1', '')}`)
      .filter((route) => !WITHOUT_EVENT.some((each) => each.test(route)));
    expect(Object.keys(CALLS_WITH_EVENTS).sort()).toEqual(writes.sort());
  });

  test.each(chunksOf(3, Object.keys(CALLS_WITH_EVENTS)))(
    'suppresses exactly the app’s own changes by %s, %s or %s, with and without an Idempotency-Key',
    async (...routes) => {
      // With `npm run test:long`, each app makes each change both with and without a key.
      const calls = [
        [mine, theirs, false],
        [theirs, mine, true],
        [mine, theirs, true],
        [theirs, mine, false],
      ] as const;
      for (const route of routes)
        for (const [by, helper, keyed] of calls.slice(0, sized(2, 4))) {
          const before = await feed();
          const { status } = await CALLS_WITH_EVENTS[route]!(
            by,
            helper,
            keyed ? { 'idempotency-key': route } : {},
            feira,
          );
          const made = (await feed()).slice(before.length);
          expect([route, status < 300, made.at(-1)?.origin]).toEqual([route, true, `app:${by.clientId}`]);
        }
      const events = await feed();
      expect(events.length).toBeLessThan(100);
      await expectExactly(events);
    },
  );

  test('suppresses changes made with any token of the app', async () => {
    const again = await mine.withScopes(['products:write', 'stock:write']);
    await newProduct(again, { sku: 'TOKEN' });
    await again.patch('/stock', { entries: [{ sku: 'TOKEN', quantity: 3 }] });
    await newProduct(theirs);
    const events = await feed();
    expect(events).toHaveLength(3);
    await expectExactly(events);
  });

  test('suppresses exactly the app’s own changes even if one statement writes concurrent changes of two apps', async () => {
    const products = [];
    for (let n = 0; n < 8; n++) products.push(await newProduct(mine));
    const answers = await Promise.all(
      products.map((id, n) => (n % 2 ? mine : theirs).patch(`/products/${id}/stock`, { quantity: 7 })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    await expectExactly(await feed());
  });

  test('suppresses a refund that a worker completes after the process that received the call has died', async () => {
    const id = await paidOrder(feira, theirs);
    const { workspaceId, clientId } = mine;
    await feira.context.db.store('test').transaction(async (tx) => {
      const { total: amount } = (await lockPaymentState(tx, workspaceId, id))!;
      const origin = `app:${clientId}` as const;
      await requestRefund(tx, workspaceId, id, { amount, reason: null, restock: true, origin });
    });
    await finishRefunds(feira.context.db, feira.clock, feira.context.gateway);
    await until(async () => (await mine.get(`/orders/${id}`)).body.status === 'refunded');
    const events = await feed();
    expect(events.slice(-2)).toMatchObject([
      { event: 'stock.updated', origin: `app:${clientId}` },
      { event: 'order.refunded', origin: `app:${clientId}` },
    ]);
    await expectExactly(events);
  });

  test('does not suppress changes by a buyer, the gateway, the carrier or the expiry of an order', async () => {
    const { gateway, db } = feira.context;
    const { workspaceId } = mine;
    const paid = await paidOrder(feira, mine);
    const { code } = (await mine.post('/shipments', { orderId: paid })).body;
    await db.store('test').transaction((tx) => scan(tx, workspaceId, code, undefined));
    await gateway.refundAsMerchant(await transactionOf(feira, paid), 1);
    await gateway.refundAsMerchant(await transactionOf(feira, paid), undefined);
    const productId = await newProduct(mine, { quantity: 5 });
    const unpaid = { productId, variantId: null, quantity: 1 };
    const canceled = await order(feira, workspaceId, unpaid, { pay: false });
    await gateway.decide(await transactionOf(feira, canceled), 'canceled');
    await order(feira, workspaceId, unpaid, { pay: false });
    const canceledOrders = async () =>
      (await feed()).filter(({ event }) => event === 'order.canceled').length;
    await until(async () => (await canceledOrders()) === 1);
    // All deliveries must be recorded before the clock moves. Otherwise a delivery whose lease expires is sent again.
    await expectExactly(await feed());
    feira.clock.forward(2 * 60 * 60 * 1000 + 1_000);
    await expireUnpaid(db, feira.clock);
    [mine, theirs] = [
      await mine.withScopes(['webhooks:manage']),
      await theirs.withScopes(['webhooks:manage']),
    ];

    await until(async () => (await canceledOrders()) === 2);
    const events = await feed();
    expect(new Set(events.map(({ event }) => event))).toEqual(
      new Set(
        EVENT_NAMES.filter(
          (name) => !['product.updated', 'product.deleted', 'order.invoiced'].includes(name),
        ),
      ),
    );
    const origins = new Set(events.map(({ origin }) => origin));
    expect(origins).toEqual(new Set([`app:${mine.clientId}`, 'storefront', 'gateway', 'carrier', 'system']));
    await expectExactly(events);
  });
});
