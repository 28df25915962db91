import { type Line, readSellables } from '../catalog/reserve.js';
import type { Origin } from '../events/names.js';
import {
  changeShipping,
  lockOrder,
  type ShippingChange,
  type ShippingStatus,
} from '../orders/shipping-status.js';
import type { Clock } from '../platform/clock.js';
import type { Queryable, Tx } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import { conflict, notFound } from '../platform/http/errors.js';
import { newTrackingCode } from './codes.js';
import { CARRIER, type Parcel, quote } from './freight.js';

export interface ShipmentRecord {
  code: string;
  orderId: string;
  carrier: string;
  cost: number;
  createdAt: string;
}

const DAY_MS = 24 * 60 * 60 * 1000;

const WORDS: Record<string, string> = {
  preparing: 'Label made, waiting for the parcel',
  sent: 'Posted',
  in_transit: 'On the way',
  delivered: 'Delivered to the recipient',
  returned: 'Returned to the sender',
};

/** Makes a label: a code, a price, and the order is being prepared. A second one for an order is refused. */
export async function createShipment(
  tx: Tx,
  clock: Clock,
  workspaceId: string,
  origin: Origin,
  orderId: string,
  carrier: string | undefined,
): Promise<ShipmentRecord> {
  const order = await lockOrder(tx, workspaceId, orderId);
  if (order.status !== 'paid' && order.status !== 'partial_refunded')
    throw conflict('not_paid', `The order is ${order.status}; a label needs one that is paid`);
  if (order.codeShipping !== null)
    throw conflict('shipment_exists', `The order has the shipment ${order.codeShipping} already`);
  const [facts] = await tx.query<{ zip: string; items: Line[] }>(sql`
    select shipping_address->>'zipCode' as zip, items from orders where workspace_id = ${workspaceId} and id = ${orderId}`);
  const [economy] = quote(facts!.zip, await parcelsOf(tx, workspaceId, facts!.items)) ?? [];
  const code = await unusedCode(tx, workspaceId);
  const by = carrier ?? CARRIER;
  const estimated = new Date(clock.now() + (economy?.days ?? 10) * DAY_MS).toISOString().slice(0, 10);
  const [made] = await tx.query<ShipmentRecord>(sql`
    insert into shipments (workspace_id, code, order_id, carrier, cost, estimated_delivery)
    values (${workspaceId}, ${code}, ${orderId}, ${by}, ${economy?.cost ?? 0}, ${estimated})
    returning code, order_id as "orderId", carrier, cost, created_at as "createdAt"`);
  await changeShipping(tx, workspaceId, origin, orderId, {
    statusShipping: 'preparing',
    codeShipping: code,
    carrier: by,
  });
  return made!;
}

/** A change of the order's shipping status, and what the tracking of its code shows of it. */
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
  // A code that another order has already: two orders in one parcel, whose scans are told once.
  if (ours.length === 0) return;
  const parcelMoved =
    after.statusShipping !== before.statusShipping || after.codeShipping !== before.codeShipping;
  if (parcelMoved && hasTravelled(after.statusShipping))
    await addScan(tx, workspaceId, after.codeShipping, after.statusShipping, null);
}

/** A carrier knows codes, not stores. Two stores may have typed in the same one. */
export async function storesOfCode(db: Queryable, code: string): Promise<string[]> {
  const rows = await db.query<{ workspace_id: string }>(
    sql`select workspace_id from shipments where code = ${code} order by workspace_id limit 2`,
  );
  return rows.map(({ workspace_id }) => workspace_id);
}

/** The carrier has seen the parcel; the order follows. */
export async function scan(
  tx: Tx,
  workspaceId: string,
  code: string,
  status: ShippingStatus | undefined,
  location: string | null,
): Promise<ShippingStatus> {
  const [shipment] = await tx.query<{ order_id: string }>(sql`
    select order_id from shipments where workspace_id = ${workspaceId} and code = ${code}`);
  if (!shipment) throw notFound(`Shipment ${code.slice(0, 64)}`);
  const { statusShipping } = await lockOrder(tx, workspaceId, shipment.order_id);
  const next = status ?? NEXT[statusShipping];
  if (!next)
    throw conflict('illegal_transition', `The parcel is ${statusShipping}; there is no further scan`);
  await changeShipping(tx, workspaceId, 'carrier', shipment.order_id, { statusShipping: next });
  if (hasTravelled(next)) await addScan(tx, workspaceId, code, next, location);
  return next;
}

/** The shipment of a label made here. A code that the merchant typed in has a tracking, but no label. */
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

/** There are a hundred million: one in use already is rare, and rarer still twice. */
async function unusedCode(tx: Tx, workspaceId: string): Promise<string> {
  for (;;) {
    const code = newTrackingCode();
    const taken = await tx.query(
      sql`select from shipments where workspace_id = ${workspaceId} and code = ${code}`,
    );
    if (taken.length === 0) return code;
  }
}

/** Weighed as the products are now; one that is gone weighs nothing. */
async function parcelsOf(tx: Tx, workspaceId: string, items: Line[]): Promise<Parcel[]> {
  const sellables = await readSellables(tx, workspaceId, [
    ...new Set(items.map(({ productId }) => productId)),
  ]);
  return items.map(({ productId, quantity }) => {
    const {
      weight = null,
      width = null,
      height = null,
      length = null,
    } = sellables.find((each) => each.productId === productId) ?? {};
    return { weight, width, height, length, quantity };
  });
}

const NEXT: Partial<Record<ShippingStatus, ShippingStatus>> = {
  pending: 'sent',
  preparing: 'sent',
  sent: 'in_transit',
  in_transit: 'delivered',
};

/** `sent` is the first thing that tracking shows: before it the parcel is with the merchant. */
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
  // A code that came after the parcel had left begins with when it left.
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
