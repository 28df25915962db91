import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from 'feira/dist/platform/embedded-postgres/start.js';
import { LoadProcess, type Server, startFeira, temporaryFolder } from './processes.js';
import { median, requestBytes, shuffled } from './request-bytes.js';
import { type Connection, query, type SeededStore } from './seed.js';

const LIMIT = 1.5;

export interface Size {
  count: number;
  connection: Connection;
  store: SeededStore;
  server: Server;
}

interface Comparison {
  /** The kind of record, such as products. By default, the large store has a hundred times as many as the small one. */
  records: string;
  requestsPerRound: number;
  seed(connection: Connection, count: number): Promise<SeededStore>;
  /**
   * Request paths by the name of the call. Most calls have many different paths, so that the result does not depend on
   * a few cached pages.
   */
  callsOf(size: Size): Promise<Map<string, string[]>>;
  /** Calls that have to count more rows in the large store. Their times are reported but have no goal. */
  countMore?: string[];
}

/**
 * Sends the same kinds of requests to a small and a large store, then exits. The exit code is 1 if a call with a goal
 * took more than LIMIT times as long in the large store.
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

  async function prepare(database: string, count: number) {
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
    return { store, server, calls: await callsOf({ count, connection, store, server }) };
  }

  /** The small and the large store alternate, so that other load on the machine affects both equally. */
  async function compare(name: string): Promise<void> {
    const times: [typeof small, number[]][] = [
      [small, []],
      [large, []],
    ];
    // Round 0 is a warm-up.
    for (let round = 0; round <= Number(options.rounds); round++) {
      for (const [{ server, store, calls }, medians] of times) {
        const result = await load.run({
          port: server.port,
          connections: 1,
          seconds: 30,
          count: Number(options.requests),
          requests: shuffled(calls.get(name)!).map((path) =>
            requestBytes('GET', `/api/v1${path}`, store.token),
          ),
        });
        if (Object.keys(result.statuses).join() !== '200')
          throw new Error(`${name} was not always answered with 200: ${JSON.stringify(result.statuses)}`);
        if (round > 0) medians.push(result.p50);
      }
    }
    const [before, after] = times.map(([, medians]) => medians) as [number[], number[]];
    const factor = median(after.map((time, round) => time / before[round]!));
    const verdict = countMore.includes(name) ? 'counts more' : factor <= LIMIT ? 'met' : 'MISSED';
    if (verdict === 'MISSED') missed++;
    console.log(
      name.padEnd(40),
      `${median(before).toFixed(2)} ms`.padStart(10),
      `${median(after).toFixed(2)} ms`.padStart(10),
      `× ${factor.toFixed(2)}`.padStart(8),
      verdict,
    );
  }
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
