import { afterAll, beforeAll, expect, test } from 'vitest';
import { expireUnpaid } from '../../src/orders/life.js';
import { sql } from '../../src/platform/db/sql.js';
import { newProduct, newVaried } from '../support/catalog.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { Random } from '../support/random.js';
import { buy, openPayment } from '../support/shop.js';

// FEIRA_EVENT_ROUNDS=100 FEIRA_EVENT_WRITES=500 is the long form.
const ROUNDS = Number(process.env.FEIRA_EVENT_ROUNDS ?? 3);
const WRITES = Number(process.env.FEIRA_EVENT_WRITES ?? 200);
const AT_ONCE = 12;
const SKUS = ['S', 'M', 'L'];

let one: Feira;
let two: Feira;

beforeAll(async () => {
  one = await openFeira();
  two = await openFeira({ on: one });
  // Both number events all the time, beside the reads that do so too.
  for (const { context } of [one, two]) context.sequencer.start();
});
afterAll(async () => {
  for (const { context } of [one, two]) await context.sequencer.stop();
  await two.close();
  await one.close();
});

interface FeedEvent {
  sequence: number;
  event: string;
  data: { id: string; sku?: string; quantity: number; orderId: string; statusShipping?: string };
}

interface Scene {
  store: StoreClient;
  simple: string[];
  varied: string[];
  orders: string[];
  random: Random;
}

test.each(Array.from({ length: ROUNDS }, (_, round) => round))(
  `consumers of the feed end up with the store after ${WRITES} concurrent writes (round %i)`,
  { timeout: 600_000 },
  async (round) => {
    const scene = await openScene(round);
    let left = WRITES;
    let writing = true;
    const writer = async () => {
      while (left-- > 0) await writeSomething(scene);
    };
    const writers = Promise.all(Array.from({ length: AT_ONCE }, writer)).finally(() => {
      writing = false;
    });
    const follower = new Follower(scene.store);
    while (writing) await follower.readOn();
    await writers;
    await expireEverything(scene);
    for (const { context } of [one, two]) context.sequencer.wake();
    await follower.readOn();

    const { seen } = follower;
    expect(seen.map(({ sequence }) => sequence)).toEqual(seen.map((_, index) => index + 1));
    const again = new Follower(scene.store);
    await again.readOn();
    expect(again.seen).toEqual(seen);

    const store = await stateOf(scene);
    expect(applied(seen)).toEqual(store);
    // Deliveries arrive in any order: whoever keeps the highest sequence of each thing ends up with the same.
    expect(applied(newestOfEach(shuffled(seen, scene.random)))).toEqual(store);
  },
);

async function openScene(round: number): Promise<Scene> {
  const store = await one.store();
  const simple: string[] = [];
  for (let n = 0; n < 4; n++) simple.push(await newProduct(store, { sku: `P${n}`, quantity: 50 }));
  const varied: string[] = [];
  for (let n = 0; n < 2; n++) varied.push(await newVaried(store, { S: 50, M: 50, L: 50 }));
  return { store, simple, varied, orders: [], random: new Random(round + 1) };
}

/** One write, chosen at random, through either process. Refusals are part of it: they must leave no event. */
async function writeSomething(scene: Scene): Promise<void> {
  const { simple, varied, orders, random } = scene;
  const feira = random.pick([one, two]);
  const store = scene.store.through(feira);
  const quantity = random.below(100);
  const product = random.pick(simple);
  const variations = random.pick(varied);
  switch (random.below(10)) {
    case 0:
    case 1:
      return ok(store.patch(`/products/${product}/stock`, { quantity }));
    case 2:
      return ok(store.patch(`/products/${variations}/variants/${random.pick(SKUS)}/stock`, { quantity }));
    case 3:
    case 4: {
      const skus = ['P0', 'P1', 'P2', 'P3'].filter(() => random.below(2) === 0);
      const entries = skus.map((sku) => ({ sku, quantity: random.below(100) }));
      return entries.length > 0 ? ok(store.patch('/stock', { entries })) : undefined;
    }
    case 5: {
      const variants = SKUS.map((sku) => ({ sku, quantity: random.below(100) }));
      return ok(store.patch(`/products/${variations}/variants`, { variants }));
    }
    case 6:
      return ok(store.patch(`/products/${product}`, { quantity, price: 1 + quantity }));
    case 7: {
      const lines = simple.filter(() => random.below(2) === 0);
      await placeAndPay(scene, feira, lines, random.below(3) > 0);
      return;
    }
    case 8: {
      const id = orders.length > 0 ? random.pick(orders) : undefined;
      const restock = random.below(2) === 0;
      if (id) await store.post(`/orders/${id}/refund`, { restock });
      return;
    }
    default: {
      const id = orders.length > 0 ? random.pick(orders) : undefined;
      const statusShipping = random.pick(['preparing', 'sent', 'in_transit', 'delivered']);
      if (id) await store.patch(`/orders/${id}/shipping-status`, { statusShipping });
    }
  }
}

async function ok(call: Promise<{ status: number; body: unknown }>): Promise<void> {
  const { status, body } = await call;
  expect({ status, body }).toMatchObject({ status: 200 });
}

async function placeAndPay({ store, orders }: Scene, feira: Feira, products: string[], pay: boolean) {
  if (products.length === 0) return;
  const lines = products.map((productId) => ({ productId, variantId: null, quantity: 1 }));
  const placed = await buy(feira, store.workspaceId, { lines });
  if ('faults' in placed) return;
  orders.push(placed.orderId);
  if (!pay) return;
  const { transactionId } = await openPayment(feira, store.workspaceId, placed.orderId, placed.total);
  await feira.context.gateway.decide(transactionId, 'paid');
}

/** Two processes cancel the unpaid orders at once. */
async function expireEverything({ store }: Scene): Promise<void> {
  await one.context.db.store('test').autocommit.query(sql`
    update orders set expires_at = now() - interval '1 second' where workspace_id = ${store.workspaceId} and status = 'pending'`);
  await Promise.all([one, two].map(({ context, clock }) => expireUnpaid(context.db, clock)));
}

/** Reads the feed by its cursors and keeps everything it was shown. */
class Follower {
  readonly seen: FeedEvent[] = [];
  private cursor: string | undefined;

  constructor(private readonly store: StoreClient) {}

  async readOn(): Promise<void> {
    for (;;) {
      const after = this.cursor === undefined ? '' : `&after=${this.cursor}`;
      const { status, body } = await this.store.get(`/events?limit=37${after}`);
      expect(status).toBe(200);
      this.seen.push(...body.data);
      this.cursor = body.meta.nextCursor;
      if (!body.meta.hasMore) return;
    }
  }
}

type State = Record<string, number | string>;

function thingOf({ event, data }: FeedEvent): string {
  if (event === 'stock.updated') return `stock ${data.id} ${data.sku ?? ''}`;
  return event === 'order.shipped' ? `parcel ${data.orderId}` : `order ${data.orderId}`;
}

const STATUS: Record<string, string> = {
  'order.created': 'pending',
  'order.paid': 'paid',
  'order.refunded': 'refunded',
  'order.canceled': 'canceled',
};

/** What a consumer believes who applies these events one after the other. */
function applied(events: FeedEvent[]): State {
  const state: State = {};
  for (const each of events) {
    const { event, data } = each;
    if (event === 'stock.updated') state[thingOf(each)] = data.quantity;
    if (STATUS[event]) state[thingOf(each)] = STATUS[event];
  }
  return state;
}

function newestOfEach(events: FeedEvent[]): FeedEvent[] {
  const newest = new Map<string, FeedEvent>();
  for (const each of events) {
    const known = newest.get(thingOf(each));
    if (!known || known.sequence < each.sequence) newest.set(thingOf(each), each);
  }
  return [...newest.values()];
}

function shuffled(events: FeedEvent[], random: Random): FeedEvent[] {
  const mixed = [...events];
  for (let i = mixed.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [mixed[i], mixed[j]] = [mixed[j]!, mixed[i]!];
  }
  return mixed;
}

/** What the store has of the things that any event was about. */
async function stateOf({ store, simple, varied, orders }: Scene): Promise<State> {
  const state: State = {};
  const { seen } = await everything(store);
  const reported = new Set(seen.map(thingOf));
  for (const id of simple) {
    const thing = `stock ${id} `;
    if (reported.has(thing)) state[thing] = (await store.get(`/products/${id}`)).body.quantity;
  }
  for (const id of varied) {
    for (const { sku, quantity } of (await store.get(`/products/${id}/variants`)).body.data) {
      const thing = `stock ${id} ${sku}`;
      if (reported.has(thing)) state[thing] = quantity;
    }
  }
  for (const id of orders) state[`order ${id}`] = (await store.get(`/orders/${id}`)).body.status;
  return state;
}

async function everything(store: StoreClient): Promise<Follower> {
  const all = new Follower(store);
  await all.readOn();
  return all;
}
