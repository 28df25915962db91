import { emit } from '../events/outbox.js';
import { identityOf } from '../orders/customers.js';
import { estimatedDelivery } from '../orders/estimated-delivery.js';
import { expiryOf } from '../orders/expires-at.js';
import type { Buyer, OrderItem } from '../orders/records.js';
import { refreshOrderSearch } from '../orders/search.js';
import type { Clock } from '../platform/clock.js';
import type { Tx } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import { cents } from '../platform/schema/money.js';
import type { PricedItem } from './items.js';
import type { Price } from './price.js';

export interface NewOrder {
  orderId: string;
  checkoutId: string;
  buyer: Buyer;
  items: PricedItem[];
  price: Price;
  payment: { method: string; installments: number; gateway: string; transactionId: string };
  timezone: string;
}

/**
 * Gives the order the store's next order number, and writes the order, its search terms and the event order.created.
 * Fails if the customer does not exist, because customer_id must not be null. The store's row stays locked until the
 * transaction ends, so order numbers have no gaps.
 */
export async function recordOrder(tx: Tx, clock: Clock, workspaceId: string, order: NewOrder): Promise<void> {
  const { orderId, checkoutId, buyer, price, timezone } = order;
  const { name, email, phone, document, address } = buyer;
  const { method, installments, gateway, transactionId } = order.payment;
  const { service, days } = price.delivery;
  const expiry = expiryOf(method, clock, timezone);
  const inserted = tx.query(sql`
    with numbered as (
      update workspaces set last_order_number = last_order_number + 1 where id = ${workspaceId}
      returning last_order_number as number
    ),
    customer as (
      select id from customers where workspace_id = ${workspaceId} and identity = ${identityOf(buyer)}
    )
    insert into orders (workspace_id, id, number, subtotal, shipping_cost, total, payment_method, installments, gateway,
      transaction_id, customer_id, customer, shipping_address, items, checkout_id, shipping_service, delivery_days,
      estimated_delivery, expires_at)
    select ${workspaceId}, ${orderId}, number, ${price.subtotal}, ${price.shippingCost}, ${price.total}, ${method},
      ${installments}, ${gateway}, ${transactionId}, customer.id,
      jsonb_build_object('id', customer.id) || ${JSON.stringify({ name, email, phone, document })}::jsonb,
      ${JSON.stringify(address)}::jsonb, ${JSON.stringify(order.items.map(orderItem))}::jsonb, ${checkoutId}, ${service}, ${days},
      ${estimatedDelivery(clock, timezone, days)},
      coalesce(${expiry.moment}::timestamptz,
        (${expiry.day}::date + 1)::timestamp at time zone ${timezone} - interval '1 second')
    from numbered left join customer on true`);
  await Promise.all([
    inserted,
    refreshOrderSearch(tx, workspaceId, orderId),
    emit(tx, workspaceId, 'storefront', [{ event: 'order.created', data: { orderId } }]),
  ]);
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
