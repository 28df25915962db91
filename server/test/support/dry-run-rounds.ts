import { expect } from 'vitest';
import { raw, sql } from '../../src/platform/db/sql.js';
import { newProduct } from './catalog.js';
import { type Answer, type Feira, openFeira } from './feira.js';
import { Random } from './random.js';
import { RandomWrites } from './random-writes.js';
import { order } from './shop.js';

const ROUND = 250;

export interface DryRunCounts {
  writes: number;
  /** The number of writes per route. */
  routes: Record<string, number>;
  /** The number of responses to real writes, not to dry runs, per status. */
  statuses: Record<string, number>;
}

/**
 * Sends random writes, each first as a dry run and then for real. Both responses must agree, and the dry run must leave
 * every table unchanged. Each round starts with a new database to keep it small, because every comparison reads all of
 * it.
 */
export async function runDryAndReal(writes: number): Promise<DryRunCounts> {
  const counts: DryRunCounts = { writes: 0, routes: {}, statuses: {} };
  for (let seed = 1; counts.writes < writes; seed++)
    await runRound(seed, Math.min(ROUND, writes - counts.writes), counts);
  return counts;
}

async function runRound(seed: number, writes: number, counts: DryRunCounts): Promise<void> {
  const feira = await openFeira();
  try {
    const store = await feira.store();
    const sold = await newProduct(store, { name: 'Sold', quantity: 100 });
    const line = { productId: sold, variantId: null, quantity: 1 };
    const orders = [];
    for (const pay of [true, true, true, false])
      orders.push(await order(feira, store.workspaceId, line, { pay }));
    const random = new Random(seed);
    const source = new RandomWrites(random, orders);
    const known = new Set<string>(orders);
    const checksum = await checksumOf(feira);
    let state = await checksum();
    for (let n = 0; n < writes; n++) {
      const write = source.next();
      const { method, path, body, route } = write;
      const seen = `seed ${seed}, write ${n}: ${method} ${path} ${JSON.stringify(body)}`;
      const key: Record<string, string> = random.below(4) ? {} : { 'idempotency-key': `${n}` };
      const dryPath = `${path}${path.includes('?') ? '&' : '?'}dryRun=true`;
      const dry = await store.call(method, dryPath, body, key);
      expect([seen, await checksum()]).toEqual([seen, state]);
      const real = await store.call(method, path, body, key);
      expect([seen, comparable(dry, known)]).toEqual([seen, comparable(real, known)]);
      expect([dry.headers['x-dry-run'], real.headers['x-dry-run']]).toEqual(['true', undefined]);
      for (const id of idsIn(real)) known.add(id);
      await source.done(store, write, real as never);
      state = await checksum();
      const name = `${method} ${route}`;
      counts.routes[name] = (counts.routes[name] ?? 0) + 1;
      counts.statuses[real.status] = (counts.statuses[real.status] ?? 0) + 1;
      counts.writes++;
    }
  } finally {
    await feira.close();
  }
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z/g;

/** Returns the status and the body, with placeholders for times and for ids that are not yet known. */
function comparable({ status, body }: Answer, known: Set<string>): { status: number; body: unknown } {
  const text = JSON.stringify(body)
    .replace(TIME, 'time')
    .replace(UUID, (id) => (known.has(id) ? id : 'new id'));
  return { status, body: JSON.parse(text) };
}

function idsIn({ status, body }: Answer): string[] {
  return status < 300 ? (JSON.stringify(body).match(UUID) ?? []) : [];
}

/**
 * Returns a function that computes one line per table from the contents and versions of its rows. The line changes
 * whenever a row is inserted, deleted or updated.
 */
async function checksumOf({ context }: Feira): Promise<() => Promise<string>> {
  const db = context.db.system('test');
  const tables = await db.query<{ name: string }>(sql`
    select quote_ident(relname) as name from pg_class c join pg_namespace n on n.oid = relnamespace
    where nspname = 'public' and relkind = 'r' order by relname`);
  const rows = tables.map(
    ({ name }) =>
      `select '${name}' as name, count(*) as rows, sum(hashtextextended(t.xmin::text || t::text, 0)::numeric) as sum from ${name} t`,
  );
  const all = sql`select string_agg(concat_ws(' ', name, rows, sum), E'\n') as state from (${raw(rows.join(' union all '))}) s`;
  return async () => (await db.query<{ state: string }>(all))[0]!.state;
}
