import { sql } from '../../src/platform/db/sql.js';
import type { Feira, StoreClient } from './feira.js';

interface Times {
  createdAt?: string;
  updatedAt?: string;
}

/** Sets the times of an order. Triggers are disabled, because one of them would overwrite `updated_at`. */
export async function dated(feira: Feira, orderId: string, { createdAt, updatedAt }: Times): Promise<string> {
  await feira.context.db.store('test').transaction(async (tx) => {
    // Without triggers, the JSON in the column `document` would keep the old times. It is deleted, and the API then
    // builds it for each request, as it does for orders that have not changed since this column was added.
    await tx.query(sql`set local session_replication_role = replica`);
    await tx.query(sql`
      update orders set created_at = coalesce(${createdAt ?? null}::timestamptz, created_at),
        updated_at = coalesce(${updatedAt ?? createdAt ?? null}::timestamptz, updated_at), document = null
      where id = ${orderId}`);
  });
  return orderId;
}

export async function inTimeZone(feira: Feira, store: StoreClient, zone: string): Promise<void> {
  await feira.context.db
    .store('test')
    .autocommit.query(sql`update workspaces set timezone = ${zone} where id = ${store.workspaceId}`);
}

/** Returns the data of all events with this name, oldest first. */
export async function dataOf(
  feira: Feira,
  { workspaceId }: StoreClient,
  name: string,
): Promise<Record<string, unknown>[]> {
  const events = await feira.events(workspaceId);
  return events.filter(({ event }) => event === name).map(({ data }) => data);
}

/** Returns the gateway's transaction id for the payment of an order. */
export async function transactionOf(feira: Feira, orderId: string): Promise<string> {
  const [row] = await feira.context.db
    .store('test')
    .query<{ transaction_id: string }>(sql`select transaction_id from orders where id = ${orderId}`);
  return row!.transaction_id;
}

/** Reads all pages of a list by cursor until hasMore is false. */
export async function allByCursor(store: StoreClient, path: string): Promise<{ id: string }[]> {
  const all: { id: string }[] = [];
  let next = path;
  for (;;) {
    const { status, body } = await store.get(next);
    if (status !== 200) throw new Error(`${next}: ${status} ${JSON.stringify(body)}`);
    all.push(...body.data);
    if (!body.meta.hasMore) return all;
    const [base, query = ''] = path.split('?');
    const limit = /limit=\d+/.exec(query)?.[0] ?? '';
    next = `${base}?${limit}&cursor=${body.meta.nextCursor}`;
  }
}
