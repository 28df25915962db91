import type { Origin } from '../events/names.js';
import {
  changeShipping,
  lockOrder,
  type ShippingChange,
  type ShippingStatus,
} from '../orders/shipping-status.js';
import type { Queryable, Tx } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import { conflict, notFound } from '../platform/http/errors.js';
import { scanPlace } from './scan-place.js';

export interface ShipmentRecord {
  code: string;
  orderId: string;
  carrier: string;
  cost: number;
  createdAt: string;
}

const WORDS: Record<string, string> = {
  preparing: 'Label created, waiting for the parcel',
  sent: 'Posted',
  in_transit: 'On the way',
  delivered: 'Delivered to the recipient',
  returned: 'Returned to the sender',
};

/**
 * Changes the shipping status and the shipment data of an order. If the parcel has left the merchant and has a tracking
 * code, a new status or code also adds an entry to the tracking history of the code.
 */
export async function moveShipping(
  tx: Tx,
  workspaceId: string,
  origin: Origin,
  orderId: string,
  change: ShippingChange,
): Promise<void> {
  const before = await lockOrder(tx, workspaceId, orderId);
  const { changed, after } = await changeShipping(tx, workspaceId, origin, orderId, change);
  if (!changed || after.codeShipping === null) return;
  const ours = await tx.query(sql`
    insert into shipments (workspace_id, code, order_id, carrier)
    values (${workspaceId}, ${after.codeShipping}, ${orderId}, ${after.carrier ?? ''})
    on conflict (workspace_id, code) do update set carrier = excluded.carrier where shipments.order_id = excluded.order_id
    returning 1`);
  // Another order already has this code, which means that two orders share a parcel. Its scans are recorded only once.
  if (ours.length === 0) return;
  const parcelMoved =
    after.statusShipping !== before.statusShipping || after.codeShipping !== before.codeShipping;
  if (parcelMoved && hasTravelled(after.statusShipping))
    await addScan(tx, workspaceId, after.codeShipping, after.statusShipping, null);
}

/** Returns the stores that use a code, at most two: if there is more than one, the code does not identify the store. */
export async function storesOfCode(db: Queryable, code: string): Promise<string[]> {
  const rows = await db.query<{ workspace_id: string }>(
    sql`select workspace_id from shipments where code = ${code} order by workspace_id limit 2`,
  );
  return rows.map(({ workspace_id }) => workspace_id);
}

/** Records a scan by the carrier and updates the order. If no status is given, the parcel gets the next status. */
export async function scan(
  tx: Tx,
  workspaceId: string,
  code: string,
  status: ShippingStatus | undefined,
): Promise<ShippingStatus> {
  const [shipment] = await tx.query<{ order_id: string; city: string; state: string }>(sql`
    select s.order_id, o.shipping_address->>'city' as city, o.shipping_address->>'state' as state
    from shipments s join orders o on o.workspace_id = s.workspace_id and o.id = s.order_id
    where s.workspace_id = ${workspaceId} and s.code = ${code}`);
  if (!shipment) throw notFound('Shipment', code);
  const { statusShipping } = await lockOrder(tx, workspaceId, shipment.order_id);
  const next = status ?? NEXT[statusShipping];
  if (!next) throw conflict('illegal_transition', `The parcel is ${statusShipping} and has no next status`);
  await changeShipping(tx, workspaceId, 'carrier', shipment.order_id, { statusShipping: next });
  if (hasTravelled(next)) await addScan(tx, workspaceId, code, next, scanPlace(next, shipment));
  return next;
}

/** Returns a shipment that was created with a label. A manually entered code has tracking, but no label. */
export async function findShipment(
  db: Queryable,
  workspaceId: string,
  code: string,
): Promise<ShipmentRecord | undefined> {
  const [shipment] = await db.query<ShipmentRecord>(sql`
    select code, order_id as "orderId", carrier, cost, created_at as "createdAt"
    from shipments where workspace_id = ${workspaceId} and code = ${code} and cost is not null`);
  return shipment;
}

export interface Tracking {
  code: string;
  orderId: string;
  carrier: string | null;
  statusShipping: string;
  trackingUrl: string | null;
  estimatedDelivery: string | null;
  events: { status: string; description: string; location: string | null; occurredAt: string }[];
}

export async function findTracking(
  db: Queryable,
  workspaceId: string,
  code: string,
): Promise<Tracking | undefined> {
  const [tracking] = await db.query<Tracking>(sql`
    select s.code, s.order_id as "orderId", nullif(s.carrier, '') as carrier, o.status_shipping as "statusShipping",
      o.tracking_url as "trackingUrl", s.estimated_delivery as "estimatedDelivery",
      coalesce((
        select json_agg(json_build_object('status', e.status, 'description', e.description, 'location', e.location,
          'occurredAt', to_char(e.occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by e.occurred_at desc, e.id desc)
        from shipment_events e where e.workspace_id = s.workspace_id and e.code = s.code), '[]') as events
    from shipments s join orders o on o.workspace_id = s.workspace_id and o.id = s.order_id
    where s.workspace_id = ${workspaceId} and s.code = ${code}`);
  return tracking;
}

const NEXT: Partial<Record<ShippingStatus, ShippingStatus>> = {
  pending: 'sent',
  preparing: 'sent',
  sent: 'in_transit',
  in_transit: 'delivered',
};

/**
 * Returns whether the parcel has left the merchant, which is when tracking starts.
 */
function hasTravelled(status: ShippingStatus): boolean {
  return status === 'sent' || status === 'in_transit' || status === 'delivered' || status === 'returned';
}

async function addScan(
  tx: Tx,
  workspaceId: string,
  code: string,
  status: string,
  location: string | null,
): Promise<void> {
  // If the first status with this code is later than `sent`, tracking starts with an entry for the time of shipping.
  await tx.query(sql`
    insert into shipment_events (workspace_id, code, status, description, occurred_at)
    select s.workspace_id, s.code, 'sent', ${WORDS.sent}, o.shipped_at
    from shipments s join orders o on o.workspace_id = s.workspace_id and o.id = s.order_id
    where s.workspace_id = ${workspaceId} and s.code = ${code} and ${status} <> 'sent' and not exists (
      select from shipment_events e where e.workspace_id = s.workspace_id and e.code = s.code)`);
  await tx.query(sql`
    insert into shipment_events (workspace_id, code, status, description, location)
    values (${workspaceId}, ${code}, ${status}, ${WORDS[status] ?? status}, ${location})`);
}
