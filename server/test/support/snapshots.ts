import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect } from 'vitest';
import { sql } from '../../src/platform/db/sql.js';
import type { Feira, StoreClient } from './feira.js';

export const NDJSON = 'application/x-ndjson';

export interface ReadSnapshot {
  at: string;
  cursor: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any record and asserts on it
  records: any[];
}

/** Reads a whole snapshot and checks its first and last line. */
export async function readSnapshot(feira: Feira, store: StoreClient, path: string): Promise<ReadSnapshot> {
  const response = await askForSnapshot(feira, store, path);
  expect([response.statusCode, response.headers['content-type']]).toEqual([200, NDJSON]);
  return parseSnapshot(response.body);
}

export function parseSnapshot(body: string): ReadSnapshot {
  expect(body.endsWith('}\n')).toBe(true);
  const [first, ...records] = body
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(first).toEqual({ snapshot: { at: expect.any(String), cursor: expect.any(String) } });
  expect(records.pop()).toEqual({ end: { count: records.length } });
  return { ...first.snapshot, records };
}

export function askForSnapshot(
  feira: Feira,
  store: StoreClient,
  path: string,
  headers: Record<string, string> = {},
) {
  return feira.app.inject({
    url: `/api/v1${path}`,
    headers: { authorization: `Bearer ${store.token}`, accept: NDJSON, ...headers },
  });
}

export const LARGE_PRODUCTS = 200;

/** Inserts products that together have more bytes than fit into the buffers of a connection. */
export async function insertLargeProducts(feira: Feira, store: StoreClient): Promise<void> {
  await feira.context.db.store('test').autocommit.query(sql`
    insert into products (workspace_id, id, name, price, description)
    select ${store.workspaceId}, new_id(), 'Large ' || n, 1, repeat('👕', 20000) from generate_series(1, ${LARGE_PRODUCTS}::integer) n`);
}

/** Requests a snapshot of all products over a connection that reads nothing until it is resumed. */
export function openStream(feira: Feira, store: StoreClient): Socket {
  const { port } = feira.app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1').pause();
  socket.on('error', () => {});
  socket.write(
    `GET /api/v1/products HTTP/1.1\r\nHost: x\r\nAccept: ${NDJSON}\r\nAuthorization: Bearer ${store.token}\r\n\r\n`,
  );
  return socket;
}
