import { expect } from 'vitest';
import type { StoreClient } from './feira.js';
import type { MixedStore } from './mixed-writes.js';
import { allByCursor } from './orders.js';
import { until } from './process.js';
import type { Random } from './random.js';

interface FeedEvent {
  sequence: number;
  event: string;
  data: { id: string; sku?: string; quantity: number; orderId: string; statusShipping?: string };
}

/** Reads the event feed with its cursors and stores all events. */
export class Follower {
  readonly seen: FeedEvent[] = [];
  private cursor: string | undefined;

  constructor(private readonly store: StoreClient) {}

  /** Reads to the end of the feed. Retries if a server responds with 503 because its database is unreachable. */
  async readToEnd(): Promise<void> {
    for (;;) {
      const after = this.cursor === undefined ? '' : `&after=${this.cursor}`;
      const answer = await this.store.get(`/events?limit=37${after}`);
      if (answer.status === 503) {
        await new Promise((resolve) => setTimeout(resolve, 25));
        continue;
      }
      expect(answer).toMatchObject({ status: 200 });
      this.seen.push(...answer.body.data);
      this.cursor = answer.body.meta.nextCursor;
      if (!answer.body.meta.hasMore) return;
    }
  }
}

/**
 * Checks that a consumer of the feed has seen every event once, and that two kinds of consumers end up with the state
 * of the store: one that applies the feed in order, and one that receives the events in any order and keeps the newest
 * per resource.
 */
export async function expectConsistent(mixed: MixedStore, follower: Follower): Promise<void> {
  // A change and its event are committed together. If no event arrived while the store was being read, its state
  // matches the events.
  let state: State = {};
  await until(async () => {
    await follower.readToEnd();
    const events = follower.seen.length;
    state = await stateOf(mixed, follower.seen);
    await follower.readToEnd();
    return follower.seen.length === events;
  });
  const { seen } = follower;
  expect(seen.map(({ sequence }) => sequence)).toEqual(seen.map((_, index) => index + 1));
  const again = new Follower(mixed.store);
  await again.readToEnd();
  expect(again.seen).toEqual(seen);
  expect(applied(seen)).toEqual(state);
  expect(applied(newestOfEach(shuffled(seen, mixed.random)))).toEqual(state);
}

type State = Record<string, number | string>;

const STATUS: Record<string, string> = {
  'order.created': 'pending',
  'order.paid': 'paid',
  'order.refunded': 'refunded',
  'order.canceled': 'canceled',
};

/** Returns the state of a consumer after it has applied these events in order. */
function applied(events: FeedEvent[]): State {
  const state: State = {};
  for (const each of events) {
    const { event, data } = each;
    if (event === 'stock.updated') state[resourceOf(each)] = data.quantity;
    if (STATUS[event]) state[resourceOf(each)] = STATUS[event];
  }
  return state;
}

function newestOfEach(events: FeedEvent[]): FeedEvent[] {
  const newest = new Map<string, FeedEvent>();
  for (const each of events) {
    const known = newest.get(resourceOf(each));
    if (!known || known.sequence < each.sequence) newest.set(resourceOf(each), each);
  }
  return [...newest.values()];
}

function resourceOf({ event, data }: FeedEvent): string {
  if (event === 'stock.updated') return `stock ${data.id} ${data.sku ?? ''}`;
  return event === 'order.shipped' ? `parcel ${data.orderId}` : `order ${data.orderId}`;
}

function shuffled(events: FeedEvent[], random: Random): FeedEvent[] {
  const mixed = [...events];
  for (let i = mixed.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [mixed[i], mixed[j]] = [mixed[j]!, mixed[i]!];
  }
  return mixed;
}

/** Returns the stock of every product and variation that an event was about, and the status of all orders. */
async function stateOf({ store, simple, varied }: MixedStore, events: FeedEvent[]): Promise<State> {
  const state: State = {};
  const reported = new Set(events.map(resourceOf));
  for (const id of simple) {
    const resource = `stock ${id} `;
    if (reported.has(resource)) state[resource] = (await store.get(`/products/${id}`)).body.quantity;
  }
  for (const id of varied) {
    for (const { sku, quantity } of (await store.get(`/products/${id}/variants`)).body.data) {
      const resource = `stock ${id} ${sku}`;
      if (reported.has(resource)) state[resource] = quantity;
    }
  }
  const orders = (await allByCursor(store, '/orders?limit=100')) as { id: string; status: string }[];
  for (const { id, status } of orders) state[`order ${id}`] = status;
  return state;
}
