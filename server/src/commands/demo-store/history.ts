import { type CheckoutServices, checkOut } from '../../checkout/checkout.js';
import { addInvoice, listInvoices } from '../../orders/invoices.js';
import { lockOrder } from '../../orders/shipping-status.js';
import { ordersOf } from '../../orders/storage.js';
import type { SandboxGateway } from '../../payments/sandbox/gateway.js';
import { sql } from '../../platform/db/sql.js';
import { createShipment } from '../../shipping/create-shipment.js';
import { scan } from '../../shipping/shipments.js';
import type { Shop } from '../../stores/queries.js';
import { backdate } from './backdate.js';
import { accessKey, DEMO_BUYERS, DEMO_ORDERS, type DemoOrder } from './orders.js';

export interface HistoryServices extends CheckoutServices {
  gateway: SandboxGateway;
}

/**
 * Places two weeks of demo orders through the checkout, oldest first, and moves each to its stage, such as paid or
 * delivered. Each order has a fixed checkout id, so an order that an interrupted run has placed is not placed again. If
 * it was placed less than ten minutes ago, its remaining steps are executed; an older order counts as finished.
 */
export async function fillHistory(services: HistoryServices, shop: Shop, signal: AbortSignal): Promise<void> {
  for (const [at, order] of DEMO_ORDERS.entries()) {
    if (signal.aborted) return;
    await placeAndMove(services, shop, order, at);
  }
}

async function placeAndMove(
  services: HistoryServices,
  shop: Shop,
  order: DemoOrder,
  at: number,
): Promise<void> {
  const { db, gateway } = services;
  const { workspaceId } = shop;
  const checkoutId = `demo-order-${String(at).padStart(11, '0')}`;
  const orders = ordersOf(db, workspaceId);
  const [finished] = await orders.query(sql`
    select 1 from orders where workspace_id = ${workspaceId} and checkout_id = ${checkoutId}
      and created_at < now() - interval '10 minutes'`);
  if (finished) return;
  const lines = await linesOf(services, workspaceId, order);
  const buyer = DEMO_BUYERS[order.buyer % DEMO_BUYERS.length]!;
  const outcome = await checkOut(services, shop, {
    checkoutId,
    lines,
    buyer,
    service: order.service,
    payment: { method: order.method, installments: order.method === 'card' ? order.installments : 1 },
  });
  // The checkout rejected the order, for example because one of its products is sold out or all have been deleted.
  if (!('orderId' in outcome)) return;
  const { orderId, transactionId } = outcome;
  const { stage } = order;
  const scans = SCANS[stage];
  // The invoice is added before the payment, because a connected app might invoice a paid order that has no invoice.
  if (scans !== undefined) await invoice(services, workspaceId, orderId, at + 1);
  if (stage === 'canceled') await gateway.decide(transactionId, 'canceled');
  else if (stage !== 'pending') await gateway.decide(transactionId, 'paid');
  if (scans !== undefined) await ship(services, workspaceId, orderId, scans);
  if (stage === 'refunded') await gateway.refundAsMerchant(transactionId, undefined);
  if (stage === 'partly_refunded') await gateway.refundAsMerchant(transactionId, 10);
  await backdate(orders, workspaceId, orderId, order.hoursAgo);
}

/** The number of scans (posted, in transit, delivered) that a parcel has had at each stage. */
const SCANS: Partial<Record<DemoOrder['stage'], number>> = {
  label: 0,
  sent: 1,
  in_transit: 2,
  delivered: 3,
  partly_refunded: 3,
};

async function invoice(
  { db }: HistoryServices,
  workspaceId: string,
  orderId: string,
  number: number,
): Promise<void> {
  await ordersOf(db, workspaceId).transaction(async (tx) => {
    await lockOrder(tx, workspaceId, orderId);
    if ((await listInvoices(tx, workspaceId, orderId))?.length) return;
    const key = accessKey(number);
    await addInvoice(tx, workspaceId, 'system', orderId, { type: 'nfe', key, number, series: 1 });
  });
}

/** Ships an order, unless an interrupted run or a connected app has already shipped it. */
async function ship(
  { db, clock }: HistoryServices,
  workspaceId: string,
  orderId: string,
  scans: number,
): Promise<void> {
  await ordersOf(db, workspaceId).transaction(async (tx) => {
    const { status, statusShipping } = await lockOrder(tx, workspaceId, orderId);
    if (status !== 'paid' || statusShipping !== 'pending') return;
    const shipment = await createShipment(tx, clock, workspaceId, 'console', orderId, undefined);
    for (let scanned = 0; scanned < scans; scanned++) await scan(tx, workspaceId, shipment.code, undefined);
  });
}

/** Returns order lines of one unit each. For a product with variations, the variation with the most stock is chosen. */
async function linesOf({ db }: HistoryServices, workspaceId: string, { products }: DemoOrder) {
  return db.store(workspaceId).query<{ productId: string; variantId: string | null; quantity: number }>(sql`
    select p.id as "productId", v.id as "variantId", 1 as quantity
    from products p left join lateral (
      select id from variations where workspace_id = p.workspace_id and product_id = p.id
      order by quantity desc, position limit 1) v on true
    where p.workspace_id = ${workspaceId} and p.name = any(${products}::text[])`);
}
