import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from 'feira/dist/platform/embedded-postgres/start.js';
import { LoadProcess, type Server, startFeira, temporaryFolder } from './processes.js';
import { median, requestBytes, shuffled } from './request-bytes.js';
import { type Connection, query, type SeededStore } from './seed.js';

/** How many times as long a call may take in the large store as in the small one. */
const LIMIT = 1.3;
/** The same for calls that have to count more rows in the large store. */
const COUNTING_LIMIT = 2;
/** In each round, afterChanges() sends this many requests to each store, and changes the store before each request. */
const FIRST_READS = 40;

export interface Size {
  count: number;
  connection: Connection;
  store: SeededStore;
  server: Server;
}

interface Prepared extends Omit<Size, 'count'> {
  calls: Map<string, string[]>;
}

interface Comparison {
  /** The kind of record, such as products. By default, the large store has a hundred times as many as the small one. */
  records: string;
  requestsPerRound: number;
  seed(connection: Connection, count: number): Promise<SeededStore>;
  /**
   * Request paths by the name of the call. Where possible, a call has many different paths, so that the result does
   * not depend on a few cached pages.
   */
  callsOf(size: Size): Promise<Map<string, string[]>>;
  /** Calls that have to count more rows in the large store. */
  countMore?: string[];
}

/**
 * Sends the same kinds of requests to a small and a large store, then ends the process. Every call is measured in two
 * ways: with repeated requests, most of which are answered from memory, and with requests that each follow a change to
 * the store, so that the database is read. The exit code is 1 if a call took more than LIMIT (or COUNTING_LIMIT) times
 * as long in the large store.
 */
export async function compareSizes(comparison: Comparison): Promise<never> {
  const { records, requestsPerRound, seed, callsOf, countMore = [] } = comparison;
  const { values: options } = parseArgs({
    options: {
      small: { type: 'string', default: '10000' },
      large: { type: 'string', default: '1000000' },
      rounds: { type: 'string', default: '7' },
      only: { type: 'string', default: '' },
      requests: { type: 'string', default: String(requestsPerRound) },
    },
  });
  const folder = temporaryFolder();
  const postgres = await startEmbeddedPostgres({ folder });
  const small = await prepare('small', Number(options.small));
  const large = await prepare('large', Number(options.large));
  const load = new LoadProcess();
  let missed = 0;
  for (const name of small.calls.keys()) if (name.includes(options.only)) await compare(name);
  load.stop();
  await small.server.stop();
  await large.server.stop();
  await postgres.close();
  process.exit(missed > 0 ? 1 : 0);

  async function prepare(database: string, count: number): Promise<Prepared> {
    const begun = performance.now();
    await query(postgres.connection, `create database ${database}`);
    const connection = { ...postgres.connection, database };
    const store = await seed(connection, count);
    const { host, user } = connection;
    const server = await startFeira(
      folder,
      `postgresql:///${database}?host=${encodeURIComponent(host)}&user=${user}`,
    );
    console.log(`seeded ${count} ${records} in ${((performance.now() - begun) / 1000).toFixed(0)} s`);
    return { store, server, connection, calls: await callsOf({ count, connection, store, server }) };
  }

  async function compare(name: string): Promise<void> {
    const limit = countMore.includes(name) ? COUNTING_LIMIT : LIMIT;
    report(name, await repeated(name), limit);
    report('  after a change', await afterChanges(name), limit);
  }

  function report(name: string, { before, after }: Times, limit: number): void {
    const factor = median(after.map((time, at) => time / before[at]!));
    if (factor > limit) missed++;
    console.log(
      name.padEnd(40),
      `${median(before).toFixed(2)} ms`.padStart(10),
      `${median(after).toFixed(2)} ms`.padStart(10),
      `× ${factor.toFixed(2)}`.padStart(8),
      factor > limit ? 'MISSED' : 'met',
    );
  }

  /** The small and the large store alternate, so that other load on the machine affects both equally. */
  async function repeated(name: string): Promise<Times> {
    const times: Times = { before: [], after: [] };
    // Round 0 is a warm-up.
    for (let round = 0; round <= Number(options.rounds); round++) {
      const before = await timeOf(name, small, shuffled(small.calls.get(name)!), Number(options.requests));
      const after = await timeOf(name, large, shuffled(large.calls.get(name)!), Number(options.requests));
      if (round === 0) continue;
      times.before.push(before);
      times.after.push(after);
    }
    return times;
  }

  /** Each request is the first one after a change to the store. */
  async function afterChanges(name: string): Promise<Times> {
    const firstReads = async (side: Prepared) => {
      const paths = shuffled(side.calls.get(name)!);
      const times: number[] = [];
      for (let n = 0; n < FIRST_READS; n++) {
        await forgetLists(side.connection);
        times.push(await timeOf(name, side, [paths[n % paths.length]!], 1));
      }
      return median(times);
    };
    const times: Times = { before: [], after: [] };
    for (let round = 0; round < 3; round++) {
      times.before.push(await firstReads(small));
      times.after.push(await firstReads(large));
    }
    return times;
  }

  async function timeOf(name: string, side: Prepared, paths: string[], count: number): Promise<number> {
    const { server, store } = side;
    const requests = paths.map((path) => requestBytes('GET', `/api/v1${path}`, store.token));
    const result = await load.run({ port: server.port, connections: 1, seconds: 30, count, requests });
    if (Object.keys(result.statuses).join() !== '200')
      throw new Error(`${name} was not always answered with 200: ${JSON.stringify(result.statuses)}`);
    return result.p50;
  }
}

/** Median times in milliseconds in the small store (before) and the large one (after), one for each round. */
interface Times {
  before: number[];
  after: number[];
}

/** Makes cached lists outdated by raising the counters that show whether records or search terms have changed. */
async function forgetLists(connection: Connection): Promise<void> {
  await query(
    connection,
    `insert into event_heads (workspace_id, last_sequence) select id, 1 from workspaces
     on conflict (workspace_id) do update set last_sequence = event_heads.last_sequence + 1`,
  );
  await query(connection, 'update list_counts set changes = changes + 1');
}

/** Returns paths with cursors at the given positions, derived from a cursor that the API issued for the path. */
export async function movedCursors(
  size: Size,
  path: string,
  places: { value: Date | string; id: string }[],
): Promise<string[]> {
  const parts = JSON.parse(Buffer.from(await nextCursor(size, path), 'base64url').toString()) as unknown[];
  return places.map(({ value, id }) => {
    const moved = [...parts.slice(0, -2), value, id];
    return `${path.split('?')[0]}?cursor=${Buffer.from(JSON.stringify(moved)).toString('base64url')}`;
  });
}

/** Returns the path of the second page of each list. */
export function secondPages(size: Size, paths: string[]): Promise<string[]> {
  return Promise.all(
    paths.map(async (path) => `${path.split('?')[0]}?cursor=${await nextCursor(size, path)}`),
  );
}

async function nextCursor({ server, store }: Size, path: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${server.port}/api/v1${path}`, {
    headers: { authorization: `Bearer ${store.token}` },
  });
  const { meta } = (await response.json()) as { meta: { nextCursor: string } };
  return meta.nextCursor;
}
