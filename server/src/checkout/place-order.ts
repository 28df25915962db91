import { type Line, takeStock } from '../catalog/reserve.js';
import { findOrCreateCustomer } from '../orders/customers.js';
import type { Buyer } from '../orders/records.js';
import type { Clock } from '../platform/clock.js';
import type { Tx } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import { newId } from '../platform/schema/ids.js';
import { type CheckoutFault, lockItems, mergeLines } from './items.js';
import { checkNetwork, checkShop, checkUnits, noteReservation, type StoreLimits, unitsOf } from './limits.js';
import { agreedPrice } from './price.js';
import { nextOrderNumber, recordOrder } from './record-order.js';

export interface OrderRequest {
  /** The id of the form: submitting it twice results in one order. */
  checkoutId: string;
  lines: Line[];
  buyer: Buyer;
  /** The delivery service that the buyer selected. */
  service: string;
  payment: { method: string; installments: number; gateway: string };
  /** priceTag() of the prices shown to the buyer. Without it, the buyer accepts any price. */
  agreed?: string | undefined;
  /** The buyer's network (networkOf), to which limits apply. The operator's own simulated buyers have none. */
  network?: string | undefined;
}

export type PlacedOrder = { orderId: string; number: number; total: number; repeated: boolean };

/**
 * The steps of a checkout that form one transaction, in order. Prices and stock are read under the lock, never from
 * the form. A step that throws CheckoutRefused undoes all steps before it.
 */
export async function placeOrder(
  tx: Tx,
  clock: Clock,
  workspaceId: string,
  request: OrderRequest,
): Promise<PlacedOrder | { faults: CheckoutFault[] }> {
  // 1. A form that was already submitted has an order.
  const existing = await lockCheckout(tx, workspaceId, request.checkoutId);
  if (existing) return { ...existing, repeated: true };

  // 2. Limits of the merchant and of the buyer's network, before any product is locked.
  const { buyer, payment, network } = request;
  const lines = mergeLines(request.lines);
  const units = unitsOf(lines);
  const store = await readStore(tx, workspaceId);
  checkUnits(lines, store);
  if (network !== undefined)
    await checkNetwork(tx, clock, workspaceId, network, { method: payment.method, units });

  // 3. Prices and stock, locked from now on.
  const { items, faults } = await lockItems(tx, workspaceId, lines);
  if (faults.length > 0) return { faults };

  // 4. Price and delivery quote, which must match what the buyer was shown.
  const { service, agreed } = request;
  const price = agreedPrice({ zipCode: buyer.address.zipCode, service, agreed }, items);

  // 5. Stock is reserved for this order.
  await takeStock(tx, workspaceId, 'storefront', lines);

  // 6. The customer and the order number. The number locks the store's row, so the limits of the shop are counted
  // exactly.
  const orderId = newId();
  const customer = await findOrCreateCustomer(tx, workspaceId, buyer);
  const number = await nextOrderNumber(tx, workspaceId);
  if (network !== undefined) {
    await checkShop(tx, clock, workspaceId, units);
    await noteReservation(tx, clock, workspaceId, { orderId, network, units });
  }

  // 7. The order itself and its event.
  await recordOrder(tx, clock, workspaceId, {
    orderId,
    number,
    checkoutId: request.checkoutId,
    customer,
    address: buyer.address,
    items,
    price,
    payment,
    timezone: store.timezone,
  });
  return { orderId, number, total: price.total, repeated: false };
}

/** Two requests with the same checkout id wait for each other here; the second finds the order of the first. */
async function lockCheckout(
  tx: Tx,
  workspaceId: string,
  checkoutId: string,
): Promise<Omit<PlacedOrder, 'repeated'> | undefined> {
  await tx.query(
    sql`select pg_advisory_xact_lock(hashtextextended(${`checkout ${workspaceId} ${checkoutId}`}, 0))`,
  );
  const [order] = await tx.query<Omit<PlacedOrder, 'repeated'>>(sql`
    select id as "orderId", number, total from orders where workspace_id = ${workspaceId} and checkout_id = ${checkoutId}`);
  return order;
}

async function readStore(tx: Tx, workspaceId: string): Promise<StoreLimits & { timezone: string }> {
  const [store] = await tx.query<StoreLimits & { timezone: string }>(sql`
    select timezone, max_units_per_line as "maxUnitsPerLine", max_units_per_order as "maxUnitsPerOrder"
    from workspaces where id = ${workspaceId}`);
  return store!;
}
