import { type LockedProducts, type Locking, lockSellables, takeStock } from '../catalog/reserve.js';
import { ensureCustomers } from '../orders/customers.js';
import type { Clock } from '../platform/clock.js';
import type { Tx } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import { newId } from '../platform/schema/ids.js';
import { findItems, mergeLines, unitsOf } from './items.js';
import {
  checkUnits,
  checkUse,
  type LimitUse,
  noteReservations,
  readUse,
  type StoreLimits,
} from './limits.js';
import { lockCheckouts } from './locks.js';
import { agreedPrice } from './price.js';
import { type NewOrder, recordOrders, rowOf } from './record-orders.js';
import { refusalOr } from './refused.js';
import type { OrderRequest, PlacedOrder, Placement } from './request.js';
import { withOrder } from './shop-use.js';

interface Store extends StoreLimits {
  timezone: string;
}

/**
 * Runs the steps of checkouts of one store in the caller's transaction, which must be rolled back if a step throws. The
 * requests must have different forms, networks and products. Prices and stock are read from the locked products, never
 * from the form. Statements that do not depend on each other are sent together, because every round trip prolongs the
 * locks.
 *
 * With locking 'skip', the result of a request is 'locked' if another transaction holds a lock that it needs.
 */
export async function placeOrders(
  tx: Tx,
  clock: Clock,
  workspaceId: string,
  requests: OrderRequest[],
  locking: Locking,
): Promise<(Placement | 'locked')[]> {
  // 1. Lock the forms and the networks, so that no other checkout with one of them runs at the same time. Read the
  // store and how much of the limits is used.
  const [locked, placed, store, use] = await Promise.all([
    lockCheckouts(tx, workspaceId, requests, locking),
    findPlaced(tx, workspaceId, requests),
    readStore(tx, workspaceId),
    readUse(tx, clock, workspaceId, requests),
  ]);

  // 2. If a form has already placed an order, return that order. Otherwise check the store's maximum units per line
  // and per order, and the limits per network and per shop, before any product is locked.
  const early = requests.map((request, index) => {
    if (!locked[index]) return 'locked';
    return placed.get(request.checkoutId) ?? refusalOr(() => countUse(request, store, use));
  });

  // 3. Lock the products and read their prices and stock. Compute the prices and the delivery costs, which must match
  // what the buyers were shown.
  const allowed = requests.filter((_, index) => early[index] === undefined);
  const products = await lockSellables(tx, workspaceId, productIdsOf(allowed), locking);
  // Ids are sorted, so that orders with the same time are listed in the sequence of their numbers.
  const ids = allowed.map(() => newId()).sort();
  const late = allowed.map((request, index) => newOrder(ids[index]!, request, products));

  // 4. Reserve the stock, create the customers that do not exist yet, and write the orders and their events. Assigning
  // the order numbers locks the store's row until the commit, so the orders are written last and the commit is sent
  // with them.
  const orders = late.filter(isNewOrder);
  if (orders.length > 0) await write(tx, clock, workspaceId, orders, store.timezone);
  return early.map((result) => result ?? resultOf(late.shift()!));
}

/** Returns the orders that these forms have already placed, by the id of the form. */
async function findPlaced(
  tx: Tx,
  workspaceId: string,
  requests: OrderRequest[],
): Promise<Map<string, PlacedOrder>> {
  const ids = requests.map(({ checkoutId }) => checkoutId);
  const orders = await tx.query<PlacedOrder & { checkoutId: string }>(sql`
    select checkout_id as "checkoutId", id as "orderId", total, transaction_id as "transactionId", true as repeated
    from orders where workspace_id = ${workspaceId} and checkout_id = any((select ${ids}::text[])::text[])`);
  return new Map(orders.map(({ checkoutId, ...order }) => [checkoutId, order]));
}

async function readStore(tx: Tx, workspaceId: string): Promise<Store> {
  const [store] = await tx.query<Store>(sql`
    select timezone, max_units_per_line as "maxUnitsPerLine", max_units_per_order as "maxUnitsPerOrder"
    from workspaces where id = ${workspaceId}`);
  return store!;
}

/** Counts the order for the limits of the shop. Throws CheckoutRefused if it would exceed a limit. */
function countUse({ lines, payment, limited }: OrderRequest, store: Store, use: LimitUse): void {
  checkUnits(mergeLines(lines), store);
  if (!limited) return;
  const units = unitsOf(lines);
  checkUse(use, limited.network, { method: payment.method, units });
  use.shop = withOrder(use.shop, units);
}

function productIdsOf(requests: OrderRequest[]): string[] {
  return [...new Set(requests.flatMap(({ lines }) => lines.map(({ productId }) => productId)))];
}

/** Returns the order that is to be written, or the reason why it is not. */
function newOrder(
  orderId: string,
  request: OrderRequest,
  { sellables, skipped }: LockedProducts,
): NewOrder | Exclude<Placement, PlacedOrder> | 'locked' {
  const lines = mergeLines(request.lines);
  if (lines.some(({ productId }) => skipped.has(productId))) return 'locked';
  const { items, faults } = findItems(sellables, lines);
  if (faults.length > 0) return { faults };
  const { buyer, service, agreed, payment } = request;
  return refusalOr(() => {
    const price = agreedPrice({ zipCode: buyer.address.zipCode, service, agreed }, items);
    const transactionId = payment.gateway.transactionIdOf(orderId);
    return { request, orderId, transactionId, lines, items, price };
  });
}

function isNewOrder(given: ReturnType<typeof newOrder>): given is NewOrder {
  return typeof given === 'object' && 'orderId' in given;
}

function resultOf(given: ReturnType<typeof newOrder>): Placement | 'locked' {
  if (!isNewOrder(given)) return given;
  const { orderId, transactionId, price } = given;
  return { orderId, total: price.total, transactionId, repeated: false };
}

async function write(
  tx: Tx,
  clock: Clock,
  workspaceId: string,
  orders: NewOrder[],
  timezone: string,
): Promise<void> {
  const lines = orders.flatMap((order) => order.lines);
  const buyers = orders.map(({ request }) => request.buyer);
  // Computed before the first statement is sent, because the commit is sent even if something throws after that.
  const rows = orders.map((order, index) => rowOf(order, index + 1, clock, timezone));
  await tx.last(() =>
    Promise.all([
      takeStock(tx, workspaceId, 'storefront', lines),
      ensureCustomers(tx, workspaceId, buyers),
      noteReservations(tx, clock, workspaceId, orders),
      recordOrders(tx, workspaceId, rows, timezone),
    ]),
  );
  for (const { request, lines } of orders) request.limited?.shopUses.add(workspaceId, unitsOf(lines));
}
