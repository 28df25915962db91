import { settledHead } from '../events/sequencer.js';
import type { StoreAccess, Tx } from '../platform/db/share.js';
import { raw, sql } from '../platform/db/sql.js';
import { notFound } from '../platform/http/errors.js';
import { listBody } from '../platform/http/send-json.js';
import { byTime, metaOf, type PageRequest, type SortKey } from '../platform/lists/paging.js';
import { plainPage } from '../platform/lists/plain-page.js';
import { isId } from '../platform/schema/ids.js';
import { ATTEMPTS } from './backoff.js';
import { findTarget, type Owner } from './subscriptions.js';

export interface DeliveryRecord {
  id: string;
  eventId: string;
  event: string;
  status: string;
  createdAt: string;
  nextAttemptAt: string | null;
  attempts: AttemptRecord[];
}

interface AttemptRecord {
  number: number;
  at: string;
  statusCode: number | null;
  error: string | null;
  durationMs: number;
  response: string | null;
}

export const deliverySorts: Record<string, SortKey> = {
  createdAt: byTime('created_at'),
};

// A new delivery has next_at = -infinity, so that it is sent before retries. The log shows its creation time instead.
const nextAttemptAt = `case when d.status = 'pending' then greatest(d.next_at, d.created_at) end`;

const attempts = `coalesce((
    select json_agg(json_build_object('number', a.number,
      'at', to_char(a.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'statusCode', a.status_code,
      'error', a.error, 'durationMs', a.duration_ms, 'response', a.response) order by a.number)
    from delivery_attempts a where a.workspace_id = d.workspace_id and a.delivery_id = d.id), '[]')`;

const columns = raw(`
  d.id, d.event_id as "eventId", d.event, d.status, d.created_at as "createdAt", ${nextAttemptAt} as "nextAttemptAt",
  ${attempts} as attempts`);

/** The same record as in `columns`, as JSON text. */
const deliveryJson = raw(`
  '{"id":"' || d.id || '","eventId":"' || d.event_id || '","event":' || json_text(d.event) || ',"status":' || json_text(d.status)
  || ',"createdAt":' || json_time(d.created_at) || ',"nextAttemptAt":' || coalesce(json_time(${nextAttemptAt}), 'null')
  || ',"attempts":' || ${attempts}::text || '}'`);

/** Returns a page of the delivery log of a subscription. */
export async function listDeliveries(
  db: StoreAccess,
  owner: Owner,
  webhookId: string,
  request: PageRequest<{ status?: string }>,
): Promise<Buffer> {
  await findTarget(db, owner, webhookId);
  // This assigns committed events their numbers and creates their deliveries, so the log includes them even if no
  // worker has run yet.
  await settledHead(db, owner.workspaceId);
  const { status } = request.filters;
  const filter = status === undefined ? raw('') : sql`and d.status = ${status}`;
  const where = sql`d.workspace_id = ${owner.workspaceId} and d.webhook_id = ${webhookId} ${filter}`;
  const page = await plainPage(db, request, {
    workspaceId: owner.workspaceId,
    from: sql`deliveries d`,
    alias: 'd',
    where,
    json: deliveryJson,
    sorts: deliverySorts,
    plannedOnce: false,
  });
  return listBody(page.json, metaOf(request, page));
}

/**
 * Queues a delivery again, regardless of its result, with up to five new attempts and the same event id. The delivery
 * is identified by its own id or by the id of its event, which is the value of X-Service-Delivery.
 */
export async function redeliver(
  tx: Tx,
  owner: Owner,
  webhookId: string,
  deliveryId: string,
): Promise<DeliveryRecord> {
  await findTarget(tx, owner, webhookId);
  const [delivery] = isId(deliveryId)
    ? await tx.query<DeliveryRecord>(sql`
        update deliveries d set status = 'pending', attempts_left = ${ATTEMPTS}, next_at = now(), claims = d.claims + 1
        where d.workspace_id = ${owner.workspaceId} and d.webhook_id = ${webhookId}
          and d.id in (${deliveryId}, delivery_id(${deliveryId}, ${webhookId}))
        returning ${columns}`)
    : [];
  if (!delivery) throw notFound('Delivery', deliveryId);
  await tx.query(sql`
    insert into delivery_queues as q (workspace_id, webhook_id, next_at) values (${owner.workspaceId}, ${webhookId}, now())
    on conflict (workspace_id, webhook_id) do update
      set next_at = least(q.next_at, excluded.next_at), changes = q.changes + 1`);
  return delivery;
}
