import type { Origin } from '../events/names.js';
import { emit } from '../events/outbox.js';
import type { Tx } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import { conflict, notFound } from '../platform/http/errors.js';
import { isId } from '../platform/schema/ids.js';
import type { OrderStatus } from './records.js';
import { refreshOrderSearch } from './search.js';

export const SHIPPING_STATUSES = [
  'pending',
  'preparing',
  'sent',
  'in_transit',
  'delivered',
  'returned',
  'canceled',
] as const;
export type ShippingStatus = (typeof SHIPPING_STATUSES)[number];

/**
 * The allowed transitions. Only the system sets canceled, when an order is canceled or refunded before it is shipped.
 */
const TRANSITIONS: Record<ShippingStatus, ShippingStatus[]> = {
  pending: ['preparing', 'sent'],
  preparing: ['pending', 'sent'],
  sent: ['in_transit', 'delivered', 'returned'],
  in_transit: ['delivered', 'returned'],
  delivered: ['returned'],
  returned: [],
  canceled: [],
};
const MONEY_IS_IN: OrderStatus[] = ['paid', 'partial_refunded'];

export interface ShippingChange {
  statusShipping: ShippingStatus;
  codeShipping?: string | null | undefined;
  carrier?: string | null | undefined;
  trackingUrl?: string | null | undefined;
}

export interface ShippingState {
  status: OrderStatus;
  statusShipping: ShippingStatus;
  codeShipping: string | null;
  carrier: string | null;
  trackingUrl: string | null;
}

export async function lockOrder(tx: Tx, workspaceId: string, orderId: string): Promise<ShippingState> {
  const [order] = isId(orderId)
    ? await tx.query<ShippingState>(sql`
        select status, status_shipping as "statusShipping", code_shipping as "codeShipping", carrier, tracking_url as "trackingUrl"
        from orders where workspace_id = ${workspaceId} and id = ${orderId} for update`)
    : [];
  if (!order) throw notFound('Order', orderId);
  return order;
}

/** Changes the shipping status and the shipment data. Repeating the same change does nothing and emits no event. */
export async function changeShipping(
  tx: Tx,
  workspaceId: string,
  origin: Origin,
  orderId: string,
  change: ShippingChange,
): Promise<{ changed: boolean; after: ShippingState }> {
  const before = await lockOrder(tx, workspaceId, orderId);
  const after: ShippingState = {
    status: before.status,
    statusShipping: change.statusShipping,
    // Some ERPs send "" if there is no code or carrier. Our own events also contain "" if there is no code.
    codeShipping: change.codeShipping === undefined ? before.codeShipping : change.codeShipping || null,
    carrier: change.carrier === undefined ? before.carrier : change.carrier?.trim() || null,
    trackingUrl: change.trackingUrl === undefined ? before.trackingUrl : change.trackingUrl,
  };
  if (JSON.stringify(before) === JSON.stringify(after)) return { changed: false, after };
  // If the shipping status is canceled, the code, carrier and tracking URL cannot be changed either.
  if (after.statusShipping !== before.statusShipping || before.statusShipping === 'canceled')
    refuseIllegalMove(before, after.statusShipping);
  await tx.query(sql`
    update orders set status_shipping = ${after.statusShipping}, code_shipping = ${after.codeShipping}, carrier = ${after.carrier},
      tracking_url = ${after.trackingUrl},
      shipped_at = case when ${after.statusShipping} = 'sent' then coalesce(shipped_at, now()) else shipped_at end,
      delivered_at = case when ${after.statusShipping} = 'delivered' then coalesce(delivered_at, now()) else delivered_at end
    where workspace_id = ${workspaceId} and id = ${orderId}`);
  if (after.codeShipping !== before.codeShipping) await refreshOrderSearch(tx, workspaceId, [orderId]);
  const data = { orderId, statusShipping: after.statusShipping, codeShipping: after.codeShipping ?? '' };
  await emit(tx, workspaceId, origin, [{ event: 'order.shipped', data }]);
  return { changed: true, after };
}

function refuseIllegalMove({ status, statusShipping }: ShippingState, to: ShippingStatus): void {
  if (to === statusShipping)
    throw conflict(
      'illegal_transition',
      `The shipping status is ${statusShipping}, so the code, the carrier and the tracking URL cannot change`,
    );
  const allowed = TRANSITIONS[statusShipping];
  if (!allowed.includes(to)) {
    const advice = allowed.length === 0 ? 'The current status is final' : `Allowed: ${allowed.join(', ')}`;
    throw conflict(
      'illegal_transition',
      `The shipping status is ${statusShipping} and cannot change to ${to}. ${advice}`,
    );
  }
  if (to === 'sent' && !MONEY_IS_IN.includes(status)) {
    throw conflict(
      'not_paid',
      `The order is ${status}. Only an order that is paid or partial_refunded can be sent`,
    );
  }
}
