import { EVENT_NAMES } from '../../../src/events/names.js';
import { until } from '../process.js';
import type { Random } from '../random.js';
import { Arrivals } from './arrivals.js';
import type { FailedCall } from './failed-calls.js';
import { Load, type LoadStore } from './load.js';
import { expireOrders, readAttempts, readState, unfinished } from './state.js';
import type { Kill, StormTarget } from './target.js';
import { verify } from './verify.js';

const STORES = 2;
const OWN_PRODUCTS = 4;
const SOLD_PRODUCTS = 2;
const SOLD_AT_FIRST = 40;
/** A run continues until this many writes are acknowledged, even if all faults are over earlier. */
const LEAST_ACKNOWLEDGED = 400;
/** Long enough for the jobs of orders and payments, which run every ten seconds, and for retries of failed work. */
const SETTLE_MS = 120_000;

/** The settings of the servers that `runStorm` tests. */
export const STORM_SETTINGS = {
  // Long enough for the receiver, which shares a process with the writers and may respond late on a busy machine. It is
  // not longer, because the leases of deliveries would be longer too.
  WEBHOOK_TIMEOUT_MS: '4000',
  WEBHOOK_BACKOFF_MS: '500',
  WEBHOOK_BACKOFF_FACTOR: '2',
  TRUSTED_PROXIES: '127.0.0.1',
};

/** The progress of the writers. */
export interface Progress {
  acknowledged(): number;
  /** The times at which writes through the API were acknowledged, in milliseconds of performance.now(). */
  acknowledgedAt(): number[];
  /** The failed calls, oldest first. */
  failedCalls(): FailedCall[];
}

export interface StormReport {
  acknowledged: number;
  reads: number;
  events: number;
  arrivals: number;
  kills: Record<string, number>;
  /** The number of repeated deliveries by cause. */
  repeats: Record<string, number>;
  /** A description of everything that was lost, duplicated, wrong or left unfinished. */
  faults: string[];
}

/**
 * The storm test: writers change stores in many ways over HTTP while `disturb` causes faults. Afterwards every
 * acknowledged change must be in the database once and its event in the feed once, and the event must have reached the
 * receiver at least once.
 */
export async function runStorm(
  target: StormTarget,
  random: Random,
  disturb: (progress: Progress) => Promise<void>,
): Promise<StormReport> {
  const arrivals = await Arrivals.open();
  try {
    const stores: LoadStore[] = [];
    while (stores.length < STORES) stores.push(await prepare(target, arrivals));
    const loads = stores.map((store) => new Load(target, store, random));
    const acknowledged = () => loads.reduce((sum, { ledger }) => sum + ledger.acknowledged, 0);
    const acknowledgedAt = () => loads.flatMap(({ ledger }) => ledger.acknowledgedAt);
    const running = Promise.all(loads.map((load) => load.run()));
    const failedCalls = () =>
      loads.flatMap(({ ledger }) => ledger.failedCalls).sort((one, other) => one.at - other.at);
    await Promise.race([disturb({ acknowledged, acknowledgedAt, failedCalls }), running]);
    await Promise.race([until(() => acknowledged() >= LEAST_ACKNOWLEDGED), running]);
    for (const load of loads) load.stop();
    await running;

    const faults = await settle(target);
    const states = await Promise.all(stores.map(({ store }) => readState(target, store)));
    for (const [index, state] of states.entries()) {
      const { ledger } = loads[index]!;
      faults.push(...verify(state, { ...stores[index]!, ledger, soldAtFirst: SOLD_AT_FIRST }));
    }
    const feed = states.flatMap((state) => state.feed);
    faults.push(...missingArrivals(feed, arrivals));
    const { causes, unexplained } = arrivals.explainRepeats(target.kills, await readAttempts(target));
    return {
      acknowledged: acknowledged(),
      reads: loads.reduce((sum, { ledger }) => sum + ledger.reads, 0),
      events: feed.length,
      arrivals: arrivals.all.length,
      kills: countVictims(target.kills),
      repeats: causes,
      faults: [...faults, ...unexplained],
    };
  } finally {
    await arrivals.close();
  }
}

async function prepare(target: StormTarget, arrivals: Arrivals): Promise<LoadStore> {
  const store = await target.store();
  const create = async (path: string, body: object): Promise<string> => {
    const response = await target.call(store, 'POST', path, body);
    if (response.status !== 201) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return ((await response.json()) as { id: string }).id;
  };
  await create('/webhooks', { url: arrivals.url, events: [...EVENT_NAMES] });
  const ownProducts: string[] = [];
  while (ownProducts.length < OWN_PRODUCTS)
    ownProducts.push(await create('/products', { name: `Own ${ownProducts.length}`, price: 1 }));
  const soldProducts: string[] = [];
  while (soldProducts.length < SOLD_PRODUCTS) {
    const product = { name: `Sold ${soldProducts.length}`, price: 10, quantity: SOLD_AT_FIRST };
    soldProducts.push(await create('/products', product));
  }
  return { store, ownProducts, soldProducts };
}

/**
 * Makes unpaid orders expire and waits until all work is finished. Returns a description of the work that is still
 * unfinished after SETTLE_MS.
 */
async function settle(target: StormTarget): Promise<string[]> {
  let left: Record<string, number> = {};
  // Repeated until it succeeds, because the first statements may use connections that broke when PostgreSQL was killed.
  await until(() =>
    expireOrders(target).then(
      () => true,
      () => false,
    ),
  );
  const isDone = async () => {
    left = await unfinished(target);
    return Object.keys(left).length === 0;
  };
  return until(isDone, SETTLE_MS).then(
    () => [],
    () => [`still under way: ${JSON.stringify(left)}`],
  );
}

function missingArrivals(
  feed: { id: string; sequence: number; event: string }[],
  arrivals: Arrivals,
): string[] {
  const events = new Map(feed.map((event) => [event.id, event]));
  const arrived = new Set(arrivals.all.map(({ eventId }) => eventId));
  const lost = feed.filter(({ id }) => !arrived.has(id));
  const different = arrivals.all.filter((each) => events.get(each.eventId)?.sequence !== each.sequence);
  return [
    ...lost.map(({ sequence, event }) => `event ${sequence} (${event}) was never delivered`),
    ...different.map(({ eventId, sequence }) => {
      const inFeed = events.get(eventId)?.sequence ?? 'missing';
      return `event ${eventId} was delivered with sequence ${sequence}; in the feed it is ${inFeed}`;
    }),
  ];
}

function countVictims(kills: Kill[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { victim } of kills) counts[victim] = (counts[victim] ?? 0) + 1;
  return counts;
}
