import type { Line } from '../catalog/reserve.js';
import { emit } from '../events/outbox.js';
import { identityOf } from '../orders/customers.js';
import { estimatedDelivery } from '../orders/estimated-delivery.js';
import { expiryOf } from '../orders/expires-at.js';
import type { OrderItem } from '../orders/records.js';
import { addOrderSearch } from '../orders/search.js';
import type { Clock } from '../platform/clock.js';
import type { Tx } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import { cents } from '../platform/schema/money.js';
import type { PricedItem } from './items.js';
import type { Price } from './price.js';
import type { OrderRequest } from './request.js';

/** An order that has passed all checks. */
export interface NewOrder {
  request: OrderRequest;
  orderId: string;
  transactionId: string;
  /** The lines of the request, without repetitions. */
  lines: Line[];
  items: PricedItem[];
  price: Price;
}

/**
 * Gives the orders the store's next order numbers, and writes the orders, their search terms and the events
 * order.created. Fails if a customer does not exist, because customer_id must not be null. The store's row stays locked
 * until the transaction ends, so order numbers have no gaps.
 */
export async function recordOrders(
  tx: Tx,
  workspaceId: string,
  rows: OrderRow[],
  timezone: string,
): Promise<void> {
  const ids = rows.map(({ id }) => id);
  const inserted = tx.query(sql`
    with numbered as (
      update workspaces set last_order_number = last_order_number + ${rows.length} where id = ${workspaceId}
      returning last_order_number - ${rows.length} as last
    )
    insert into orders (workspace_id, id, number, subtotal, shipping_cost, total, payment_method, installments, gateway,
      transaction_id, customer_id, customer, shipping_address, items, checkout_id, shipping_service, delivery_days,
      estimated_delivery, expires_at)
    select ${workspaceId}, o.id, numbered.last + o.position, o.subtotal, o.shipping_cost, o.total, o.payment_method,
      o.installments, o.gateway, o.transaction_id, customer.id, jsonb_build_object('id', customer.id) || o.customer,
      o.shipping_address, o.items, o.checkout_id, o.shipping_service, o.delivery_days, o.estimated_delivery,
      coalesce(o.expires_at, (o.expiry_day + 1)::timestamp at time zone ${timezone} - interval '1 second')
    from numbered, jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as o(id uuid, position integer, subtotal numeric,
        shipping_cost numeric, total numeric, payment_method text, installments integer, gateway text,
        transaction_id text, identity text, customer jsonb, shipping_address jsonb, items jsonb, checkout_id text,
        shipping_service text, delivery_days integer, estimated_delivery date, expires_at timestamptz, expiry_day date),
      lateral (
        select (select id from customers where workspace_id = ${workspaceId} and identity = o.identity) as id
      ) customer
    order by o.position`);
  await Promise.all([
    inserted,
    addOrderSearch(tx, workspaceId, ids),
    emit(
      tx,
      workspaceId,
      'storefront',
      ids.map((orderId) => ({ event: 'order.created', data: { orderId } })),
    ),
  ]);
}

type OrderRow = ReturnType<typeof rowOf>;

/** Returns the values of the new row. `position` is the position of the order among those that get their numbers now. */
export function rowOf(
  { request, orderId, transactionId, items, price }: NewOrder,
  position: number,
  clock: Clock,
  timezone: string,
) {
  const { checkoutId, buyer, payment } = request;
  const { name, email, phone, document, address } = buyer;
  const expiry = expiryOf(payment.method, clock, timezone);
  return {
    id: orderId,
    position,
    subtotal: price.subtotal,
    shipping_cost: price.shippingCost,
    total: price.total,
    payment_method: payment.method,
    installments: payment.installments,
    gateway: payment.gateway.name,
    transaction_id: transactionId,
    identity: identityOf(buyer),
    customer: { name, email, phone, document },
    shipping_address: address,
    items: items.map(orderItem),
    checkout_id: checkoutId,
    shipping_service: price.delivery.service,
    delivery_days: price.delivery.days,
    estimated_delivery: estimatedDelivery(clock, timezone, price.delivery.days),
    expires_at: expiry.moment,
    expiry_day: expiry.day,
  };
}

function orderItem({ sellable, quantity }: PricedItem): OrderItem {
  const { productId, variantId, sku, ean, name, combination, unitPrice } = sellable;
  return {
    productId,
    variantId,
    sku,
    ean,
    name,
    combination,
    quantity,
    unitPrice,
    total: cents(unitPrice * quantity),
  };
}
