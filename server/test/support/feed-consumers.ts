import { expect } from 'vitest';
import type { StoreClient } from './feira.js';
import type { MixedStore } from './mixed-writes.js';
import { allByCursor } from './orders.js';
import { until } from './process.js';
import type { Random } from './random.js';

export interface FeedEvent {
  sequence: number;
  event: string;
  data: { id: string; sku?: string; quantity: number; orderId: string; statusShipping?: string };
}

/** Reads the feed by its cursors and keeps all events that it was given. */
export class Follower {
  readonly seen: FeedEvent[] = [];
  private cursor: string | undefined;

  constructor(private readonly store: StoreClient) {}

  /** Reads to the end of the feed. A server that cannot reach its database says so with 503, and is asked again. */
  async readOn(): Promise<void> {
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
 * Checks that a follower of the feed has seen every event once, and that consumers end up with the state of the store:
 * the one that applies the feed in order, and the one that gets the events in any order and keeps the newest of each
 * thing.
 */
export async function expectConsistent(mixed: MixedStore, follower: Follower): Promise<void> {
  // A change and its event are one commit: if no event came while the store was read, the two belong together.
  let state: State = {};
  await until(async () => {
    await follower.readOn();
    const events = follower.seen.length;
    state = await stateOf(mixed, follower.seen);
    await follower.readOn();
    return follower.seen.length === events;
  });
  const { seen } = follower;
  expect(seen.map(({ sequence }) => sequence)).toEqual(seen.map((_, index) => index + 1));
  const again = new Follower(mixed.store);
  await again.readOn();
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

/** What a consumer holds after it applied these events one after the other. */
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

function thingOf({ event, data }: FeedEvent): string {
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

/** The balances that any event was about, and all orders. */
async function stateOf({ store, simple, varied }: MixedStore, events: FeedEvent[]): Promise<State> {
  const state: State = {};
  const reported = new Set(events.map(thingOf));
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
  const orders = (await allByCursor(store, '/orders?limit=100')) as { id: string; status: string }[];
  for (const { id, status } of orders) state[`order ${id}`] = status;
  return state;
}
