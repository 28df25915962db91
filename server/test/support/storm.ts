import { setTimeout as delay } from 'node:timers/promises';
import { sql } from '../../src/platform/db/sql.js';
import { Fleet, type FleetStore } from './fleet.js';
import { until } from './process.js';
import { Random } from './random.js';
import { Receiver } from './receiver.js';

const STORES = 2;
const WRITERS = 4;

export interface StormReport {
  acknowledged: number;
  /** Acknowledged changes whose event never arrived. */
  lost: string[];
  arrivals: number;
  /** Arrivals beyond the first of a delivery that no recorded attempt stands for. */
  duplicates: number;
  /** Attempts that were under way at a kill: arrived, or about to, and not recorded. */
  inFlight: number;
  /** Deliveries with more unrecorded arrivals than kills that found them in flight. */
  unexplained: [id: string, unrecorded: number][];
  kills: Record<string, number>;
}

/**
 * Writers change stock over HTTP while processes are killed at random. What was acknowledged must arrive; what arrives
 * more than once must have been under way, sent but not recorded, at a kill.
 */
export async function storm(
  victims: ('api' | 'worker' | 'postgres')[],
  rounds: number,
  seed: number,
): Promise<StormReport> {
  const random = new Random(seed);
  const fleet = await Fleet.open({
    WEBHOOK_TIMEOUT_MS: '2000',
    WEBHOOK_BACKOFF_MS: '500',
    WEBHOOK_BACKOFF_FACTOR: '2',
  });
  const receiver = await Receiver.open();
  receiver.answer = (_, response) => void setTimeout(() => response.writeHead(204).end(), random.below(6));
  const kills: Record<string, number> = {};
  const inFlight = new Map<string, number>();
  const acknowledged = new Set<string>();
  let writing = true;
  try {
    await Promise.all([fleet.start('api', 2), fleet.start('worker', 2)]);
    const stores = await Promise.all(Array.from({ length: STORES }, () => prepare(fleet, receiver)));
    const writers = Promise.all(
      Array.from({ length: WRITERS }, (_, who) => write(who, stores[who % STORES]!)),
    );
    for (let round = 0; round < rounds; round++) {
      await delay(200 + random.below(800));
      const victim = victims[round % victims.length]!;
      kills[victim] = (kills[victim] ?? 0) + 1;
      if (victim === 'postgres') {
        await fleet.killPostgres();
      } else {
        const candidates = fleet.processes.flatMap(({ role }, i) => (role === victim ? [i] : []));
        await fleet.kill(random.pick(candidates));
      }
      await noteInFlight();
    }
    writing = false;
    await writers;
    const lost = () => {
      const arrived = arrivedKeys();
      return [...acknowledged].filter((key) => !arrived.has(key));
    };
    await until(() => lost().length === 0, 60_000).catch(() => {});
    await until(async () => (await pending()).length === 0, 60_000).catch(() => {});
    const times = arrivedIds();
    const recorded = await attempts();
    const unrecorded = [...times].map(([id, count]): [string, number] => [id, count - recorded.get(id)!]);
    return {
      acknowledged: acknowledged.size,
      lost: lost(),
      arrivals: receiver.received.length,
      duplicates: unrecorded.reduce((sum, [, count]) => sum + Math.max(0, count), 0),
      inFlight: [...inFlight.values()].reduce((sum, count) => sum + count, 0),
      unexplained: unrecorded.filter(([id, count]) => count > (inFlight.get(id) ?? 0)),
      kills,
    };
  } finally {
    writing = false;
    await fleet.close();
    await receiver.close();
  }

  async function write(who: number, { store, productIds }: Prepared): Promise<void> {
    for (let quantity = 1; writing; quantity++) {
      const productId = productIds[who >> 1]!;
      const api = random.pick(fleet.apis);
      const answer = await fleet
        .call(store, 'PATCH', `/products/${productId}/stock`, { quantity }, api)
        .catch(() => undefined);
      if (answer?.ok) acknowledged.add(`${productId} ${quantity}`);
      else await delay(20);
      await answer?.arrayBuffer().catch(() => {});
    }
  }

  /**
   * After a kill and before any lease has run out: what has arrived more often than it is recorded was under way then,
   * and may arrive once more. The arrivals are looked at first, so that those living have recorded theirs.
   */
  async function noteInFlight(): Promise<void> {
    const times = arrivedIds();
    await until(async () => {
      const recorded = await attempts().catch(() => undefined);
      for (const [id, count] of recorded ? times : []) {
        if (count > recorded!.get(id)!) inFlight.set(id, (inFlight.get(id) ?? 0) + 1);
      }
      return recorded !== undefined;
    });
  }

  async function pending(): Promise<string[]> {
    const rows = await fleet.db.store('test').query<{ id: string }>(sql`
      select event_id as id from deliveries where status = 'pending'`);
    return rows.map(({ id }) => id);
  }

  async function attempts(): Promise<Map<string, number>> {
    const rows = await fleet.db
      .store('test')
      .query<{ id: string; attempts: number }>(sql`select event_id as id, attempts from deliveries`);
    return new Map(rows.map((row) => [row.id, row.attempts]));
  }

  function arrivedIds(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { headers } of receiver.received) {
      const id = headers['x-service-delivery']!;
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    return counts;
  }

  function arrivedKeys(): Set<string> {
    return new Set(receiver.bodies().map(({ data }) => `${data.id} ${data.quantity}`));
  }
}

interface Prepared {
  store: FleetStore;
  productIds: string[];
}

async function prepare(fleet: Fleet, receiver: Receiver): Promise<Prepared> {
  const store = await fleet.store();
  const hook = { url: `${receiver.url}/hook`, events: ['stock.updated'] };
  await fleet.call(store, 'POST', '/webhooks', hook);
  const productIds: string[] = [];
  for (const name of ['A', 'B']) {
    const made = await fleet.call(store, 'POST', '/products', { name, price: 1 });
    productIds.push(((await made.json()) as { id: string }).id);
  }
  return { store, productIds };
}
