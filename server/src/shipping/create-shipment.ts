import { type Line, readSellables, type Sellable } from '../catalog/reserve.js';
import type { Origin } from '../events/names.js';
import { estimatedDelivery } from '../orders/estimated-delivery.js';
import { changeShipping, lockOrder } from '../orders/shipping-status.js';
import type { Clock } from '../platform/clock.js';
import type { Tx } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import { conflict } from '../platform/http/errors.js';
import { newTrackingCode } from './codes.js';
import { CARRIER, type Parcel, quote } from './freight.js';
import type { ShipmentRecord } from './shipments.js';

const DIGITAL = 1;
/**
 * The delivery time in business days if the order has none and there is no quote for its postal code. (Early versions
 * of Feira did not store the delivery time.)
 */
const DEFAULT_DAYS = 10;

/**
 * Creates a label for the delivery service that the buyer paid for. Throws shipment_exists if the order already has a
 * tracking code.
 */
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
    throw conflict(
      'not_paid',
      `The order is ${order.status}. Only an order that is paid or partial_refunded gets a label`,
    );
  if (order.codeShipping !== null)
    throw conflict('shipment_exists', `The order already has the tracking code ${order.codeShipping}`);
  const { zip, items, service, days, timezone } = await readDelivery(tx, workspaceId, orderId);
  const sold = await readItems(tx, workspaceId, items);
  const isDigital = service === 'digital' || (service === null && sold.every(isDigitalItem));
  if (isDigital)
    throw conflict('nothing_to_ship', 'The order has only digital products, which are not shipped');
  const quotes = quote(zip, sold.filter((item) => !isDigitalItem(item)).map(parcelOf)) ?? [];
  // Orders from early releases do not record which service was paid for.
  const quoted = quotes.find((each) => each.service === service) ?? quotes[0];
  const code = await unusedCode(tx, workspaceId);
  const by = carrier?.trim() || CARRIER;
  const estimated = estimatedDelivery(clock, timezone, days ?? quoted?.days ?? DEFAULT_DAYS);
  const [made] = await tx.query<ShipmentRecord>(sql`
    insert into shipments (workspace_id, code, order_id, carrier, cost, estimated_delivery)
    values (${workspaceId}, ${code}, ${orderId}, ${by}, ${quoted?.cost ?? 0}, ${estimated})
    returning code, order_id as "orderId", carrier, cost, created_at as "createdAt"`);
  await tx.query(
    sql`update orders set estimated_delivery = ${estimated} where workspace_id = ${workspaceId} and id = ${orderId}`,
  );
  await changeShipping(tx, workspaceId, origin, orderId, {
    statusShipping: 'preparing',
    codeShipping: code,
    carrier: by,
  });
  return made!;
}

interface Delivery {
  zip: string;
  items: Line[];
  service: 'economy' | 'express' | 'digital' | null;
  days: number | null;
  timezone: string;
}

async function readDelivery(tx: Tx, workspaceId: string, orderId: string): Promise<Delivery> {
  const [delivery] = await tx.query<Delivery>(sql`
    select o.shipping_address->>'zipCode' as zip, o.items, o.shipping_service as service, o.delivery_days as days, w.timezone
    from orders o join workspaces w on w.id = o.workspace_id
    where o.workspace_id = ${workspaceId} and o.id = ${orderId}`);
  return delivery!;
}

interface SoldItem {
  /** The current product; undefined if it has been deleted. */
  sellable: Sellable | undefined;
  quantity: number;
}

async function readItems(tx: Tx, workspaceId: string, items: Line[]): Promise<SoldItem[]> {
  const productIds = [...new Set(items.map(({ productId }) => productId))];
  const sellables = await readSellables(tx, workspaceId, productIds);
  return items.map(({ productId, quantity }) => ({
    sellable: sellables.find((each) => each.productId === productId),
    quantity,
  }));
}

function isDigitalItem({ sellable }: SoldItem): boolean {
  return sellable?.typeId === DIGITAL;
}

/** Returns weight and dimensions. A deleted product counts as 0 kg, without dimensions. */
function parcelOf({ sellable, quantity }: SoldItem): Parcel {
  const { weight = null, width = null, height = null, length = null } = sellable ?? {};
  return { weight, width, height, length, quantity };
}

/** Returns a code that the store does not use yet. There are 100 million possible codes, so a collision is rare. */
async function unusedCode(tx: Tx, workspaceId: string): Promise<string> {
  for (;;) {
    const code = newTrackingCode();
    const taken = await tx.query(
      sql`select from shipments where workspace_id = ${workspaceId} and code = ${code}`,
    );
    if (taken.length === 0) return code;
  }
}
