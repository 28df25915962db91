import { type Line, lockSellables, type Sellable, takeStock } from '../catalog/reserve.js';
import { emit } from '../events/outbox.js';
import { findOrCreateCustomer } from '../orders/customers.js';
import { expiryOf } from '../orders/expires-at.js';
import type { Buyer, OrderItem } from '../orders/records.js';
import { refreshOrderSearch } from '../orders/search.js';
import type { Clock } from '../platform/clock.js';
import type { Tx } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import { newId } from '../platform/schema/ids.js';
import { cents } from '../platform/schema/money.js';
import { checkNetwork, checkShop, checkUnits, noteReservation, type StoreLimits, unitsOf } from './limits.js';

export interface CheckoutRequest {
  /** Of the form: the same one twice is one order. */
  checkoutId: string;
  lines: Line[];
  buyer: Buyer;
  payment: { method: string; installments: number; gateway: string };
  /** Where the order came from (networkOf). The operator's own simulated buyers have none, and no limits. */
  network?: string | undefined;
  /** Asked with what is in the cart; the answer is what the buyer pays. */
  freight(items: { sellable: Sellable; quantity: number }[]): number;
}

export type CheckoutFault = { line: Line; problem: 'gone' | 'short'; available: number };
export type Checkout =
  | { orderId: string; number: number; total: number; repeated: boolean }
  | { faults: CheckoutFault[] };

/** Only a buyer makes an order. Prices and stock are read under the lock; nothing of them comes from the form. */
export async function placeOrder(
  tx: Tx,
  clock: Clock,
  workspaceId: string,
  request: CheckoutRequest,
): Promise<Checkout> {
  await tx.query(
    sql`select pg_advisory_xact_lock(hashtextextended(${`checkout ${workspaceId} ${request.checkoutId}`}, 0))`,
  );
  const [known] = await tx.query<{ id: string; number: number; total: number }>(sql`
    select id, number, total from orders where workspace_id = ${workspaceId} and checkout_id = ${request.checkoutId}`);
  if (known) return { orderId: known.id, number: known.number, total: known.total, repeated: true };

  const { method, installments, gateway } = request.payment;
  const units = unitsOf(request.lines);
  const [store] = await tx.query<StoreLimits & { timezone: string }>(sql`
    select timezone, max_units_per_line as "maxUnitsPerLine", max_units_per_order as "maxUnitsPerOrder"
    from workspaces where id = ${workspaceId}`);
  checkUnits(merged(request.lines), store!);
  if (request.network !== undefined)
    await checkNetwork(tx, clock, workspaceId, request.network, { method, units });

  const productIds = [...new Set(request.lines.map(({ productId }) => productId))];
  const sellables = await lockSellables(tx, workspaceId, productIds);
  const faults: CheckoutFault[] = [];
  const bought = merged(request.lines).flatMap((line) => {
    const sellable = sellables.find(
      ({ productId, variantId }) => productId === line.productId && variantId === line.variantId,
    );
    const available = sellable?.stock ?? 0;
    if (!sellable) faults.push({ line, problem: 'gone', available: 0 });
    else if (available < line.quantity) faults.push({ line, problem: 'short', available });
    return sellable ? [{ sellable, quantity: line.quantity }] : [];
  });
  if (faults.length > 0) return { faults };

  await takeStock(tx, workspaceId, 'storefront', request.lines);
  const items = bought.map(itemOf);
  const subtotal = cents(items.reduce((sum, item) => sum + item.total, 0));
  const shippingCost = cents(request.freight(bought));
  const total = cents(subtotal + shippingCost);
  const orderId = newId();
  const customer = await findOrCreateCustomer(tx, workspaceId, request.buyer);
  const number = await nextNumber(tx, workspaceId);
  if (request.network !== undefined) {
    await checkShop(tx, clock, workspaceId, units);
    await noteReservation(tx, clock, workspaceId, { orderId, network: request.network, units });
  }
  const expiry = expiryOf(method, clock, store!.timezone);
  await tx.query(sql`
    insert into orders (workspace_id, id, number, subtotal, shipping_cost, total, payment_method, installments, gateway,
      customer_id, customer, shipping_address, items, checkout_id, expires_at)
    values (${workspaceId}, ${orderId}, ${number}, ${subtotal}, ${shippingCost}, ${total}, ${method}, ${installments}, ${gateway},
      ${customer.id}, ${JSON.stringify(customer)}::jsonb, ${JSON.stringify(request.buyer.address)}::jsonb,
      ${JSON.stringify(items)}::jsonb, ${request.checkoutId},
      coalesce(${expiry.moment}::timestamptz,
        (${expiry.day}::date + 1)::timestamp at time zone ${store!.timezone} - interval '1 second'))`);
  await refreshOrderSearch(tx, workspaceId, orderId);
  await emit(tx, workspaceId, 'storefront', [{ event: 'order.created', data: { orderId } }]);
  return { orderId, number, total, repeated: false };
}

/** Locks the store's row until the transaction ends: numbers have no gaps. */
async function nextNumber(tx: Tx, workspaceId: string): Promise<number> {
  const [row] = await tx.query<{ number: number }>(sql`
    update workspaces set last_order_number = last_order_number + 1 where id = ${workspaceId}
    returning last_order_number as number`);
  return row!.number;
}

/** The same thing on two lines is bought as one: only the sum tells whether there is enough. */
function merged(lines: Line[]): Line[] {
  const byThing = new Map<string, Line>();
  for (const line of lines) {
    const thing = `${line.productId} ${line.variantId}`;
    byThing.set(thing, { ...line, quantity: line.quantity + (byThing.get(thing)?.quantity ?? 0) });
  }
  return [...byThing.values()];
}

function itemOf({ sellable, quantity }: { sellable: Sellable; quantity: number }): OrderItem {
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
