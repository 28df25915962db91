import { type Line, takeStock } from '../catalog/reserve.js';
import { ensureCustomer } from '../orders/customers.js';
import type { Buyer } from '../orders/records.js';
import type { PaymentGateway } from '../payments/gateway.js';
import type { Clock } from '../platform/clock.js';
import type { Tx } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import { newId } from '../platform/schema/ids.js';
import { type CheckoutFault, lockItems, mergeLines } from './items.js';
import {
  checkUnits,
  checkUse,
  lockNetwork,
  noteReservation,
  readUse,
  type StoreLimits,
  unitsOf,
} from './limits.js';
import { agreedPrice } from './price.js';
import { recordOrder } from './record-order.js';
import type { ShopUses } from './shop-use.js';

export interface OrderRequest {
  /** The id of the submitted form. If the form is submitted twice, only one order is placed. */
  checkoutId: string;
  lines: Line[];
  buyer: Buyer;
  /** The delivery service that the buyer selected. */
  service: string;
  payment: {
    method: string;
    installments: number;
    gateway: Pick<PaymentGateway, 'name' | 'transactionIdOf'>;
  };
  /** priceTag() of the prices shown to the buyer. If absent, any price is accepted. */
  agreed?: string | undefined;
  /**
   * The buyer's network (networkOf), and the counts of recent and unpaid orders per shop. Absent for simulated buyers
   * and for the orders that fillDemo() places, to which the limits per network and per shop do not apply.
   */
  limited?: { network: string; shopUses: ShopUses };
}

export interface PlacedOrder {
  orderId: string;
  total: number;
  transactionId: string | null;
  repeated: boolean;
}

/**
 * Runs the steps of a checkout in the caller's transaction, which must be rolled back if a step throws. Prices and
 * stock are read from the locked products, never from the form. Statements that do not depend on each other are sent
 * together, because every round trip prolongs the locks.
 */
export async function placeOrder(
  tx: Tx,
  clock: Clock,
  workspaceId: string,
  request: OrderRequest,
): Promise<PlacedOrder | { faults: CheckoutFault[] }> {
  const { checkoutId, buyer, payment, limited } = request;
  const lines = mergeLines(request.lines);
  const units = unitsOf(lines);

  // 1. Wait for other checkouts of the same form or from the same network. Read the store and how much of the limits is
  // used.
  const [existing, store, , use] = await Promise.all([
    lockCheckout(tx, workspaceId, checkoutId),
    readStore(tx, workspaceId),
    limited && lockNetwork(tx, limited.network),
    limited && readUse(tx, clock, workspaceId, limited),
  ]);

  // 2. If this form has already placed an order, return that order. Otherwise check the store's maximum units per line
  // and per order, and the limits per network and per shop, before any product is locked.
  if (existing) return { ...existing, repeated: true };
  checkUnits(lines, store);
  if (use) checkUse(use, { method: payment.method, units });

  // 3. Lock the products and read their prices and stock.
  const { items, faults } = await lockItems(tx, workspaceId, lines);
  if (faults.length > 0) return { faults };

  // 4. Compute the price and the delivery cost, which must match what the buyer was shown.
  const { service, agreed } = request;
  const price = agreedPrice({ zipCode: buyer.address.zipCode, service, agreed }, items);

  // 5. Reserve the stock, create the customer if there is none, and write the order and its event. Assigning the order
  // number locks the store's row until the commit, so the order is written last and the commit is sent with it.
  const orderId = newId();
  const { method, installments, gateway } = payment;
  const transactionId = gateway.transactionIdOf(orderId);
  const recorded = { method, installments, gateway: gateway.name, transactionId };
  const order = { orderId, checkoutId, buyer, items, price, payment: recorded, timezone: store.timezone };
  await tx.last(() =>
    Promise.all([
      takeStock(tx, workspaceId, 'storefront', lines),
      ensureCustomer(tx, workspaceId, buyer),
      limited && noteReservation(tx, clock, workspaceId, { orderId, network: limited.network, units }),
      recordOrder(tx, clock, workspaceId, order),
    ]),
  );
  limited?.shopUses.add(workspaceId, units);
  return { orderId, total: price.total, transactionId, repeated: false };
}

/** Returns the order of a checkout id, if any. A second request with the same id waits until the first has ended. */
async function lockCheckout(
  tx: Tx,
  workspaceId: string,
  checkoutId: string,
): Promise<Omit<PlacedOrder, 'repeated'> | undefined> {
  const [, [order]] = await Promise.all([
    tx.query(
      sql`select pg_advisory_xact_lock(hashtextextended(${`checkout ${workspaceId} ${checkoutId}`}, 0))`,
    ),
    tx.query<Omit<PlacedOrder, 'repeated'>>(sql`
      select id as "orderId", total, transaction_id as "transactionId" from orders
      where workspace_id = ${workspaceId} and checkout_id = ${checkoutId}`),
  ]);
  return order;
}

async function readStore(tx: Tx, workspaceId: string): Promise<StoreLimits & { timezone: string }> {
  const [store] = await tx.query<StoreLimits & { timezone: string }>(sql`
    select timezone, max_units_per_line as "maxUnitsPerLine", max_units_per_order as "maxUnitsPerOrder"
    from workspaces where id = ${workspaceId}`);
  return store!;
}
