import { FeiraError } from '@feira/sdk';
import { invoiceKey } from './invoice-key.mjs';

/** Reads the orders that have changed since the last round. */
export async function pullOrders(store, state) {
  for await (const { data, cursor } of store.orders.changes(state.data.orderCursor).pages()) {
    for (const order of data) state.data.orders[order.id] = order;
    state.data.orderCursor = cursor;
    state.save();
    console.log(`Pulled ${data.length} orders`);
  }
}

/**
 * Adds the invoice to each paid order, buys its label and reports it as sent. Steps that are already done are skipped.
 */
export async function invoiceAndShip(store, state, signal) {
  const { orders, done } = state.data;
  for (const order of Object.values(orders)) {
    if (signal.aborted) return;
    if (order.status !== 'paid' || done[order.id]) continue;
    const results = [
      isInvoiced(order) ? undefined : await postInvoice(store, order),
      hasLabel(order) ? undefined : await buyLabel(store, order),
      isSent(order) ? undefined : await reportAsSent(store, order),
    ].filter(Boolean);
    done[order.id] = true;
    state.save();
    if (results.length > 0) console.log(`Order ${order.number}: ${results.join(', ')}`);
  }
}

function isInvoiced({ invoices }) {
  return invoices.length > 0;
}

/** An order of digital products has no delivery service and needs no label. */
function hasLabel({ shippingService, codeShipping }) {
  return shippingService === null || codeShipping !== null;
}

function isSent({ shippingService, statusShipping }) {
  return shippingService === null || !['pending', 'preparing'].includes(statusShipping);
}

/** The access key is derived from the order number, so a retry after a crash sends the same invoice. */
function postInvoice(store, order) {
  const invoice = { type: 'nfe', key: invoiceKey(order.number), amount: order.total };
  return result(async () => {
    await store.orders.addInvoice(order.id, invoice, { idempotencyKey: `invoice ${order.id}` });
    return 'posted the invoice';
  });
}

function buyLabel(store, { id }) {
  return result(async () => {
    const { code } = await store.shipments.create({ orderId: id }, { idempotencyKey: `label ${id}` });
    return `bought label ${code}`;
  });
}

function reportAsSent(store, { id }) {
  const change = { statusShipping: 'sent' };
  return result(async () => {
    await store.orders.setShippingStatus(id, change, { idempotencyKey: `sent ${id}` });
    return 'reported as sent';
  });
}

/**
 * Runs a step. If someone else has shipped or refunded the order meanwhile, the API responds with 409 and the step is
 * skipped. The next pull reads the current state.
 */
async function result(step) {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof FeiraError && error.status === 409)) throw error;
    return `skipped a step (${error.message})`;
  }
}
