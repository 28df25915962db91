import { FeiraError } from '@feira/sdk';
import { invoiceKey } from './invoice-key.mjs';

/** Orders that changed since the last time, as they are now. */
export async function pullOrders(store, state) {
  for await (const { data, cursor } of store.orders.changes(state.data.orderCursor).pages()) {
    for (const order of data) state.data.orders[order.id] = order;
    state.data.orderCursor = cursor;
    state.save();
    console.log(`Pulled ${data.length} orders`);
  }
}

/** Invoices what is paid, buys a label and hands the parcel over. */
export async function invoiceAndShip(store, state, signal) {
  const { orders, done } = state.data;
  for (const order of Object.values(orders)) {
    if (signal.aborted) return;
    if (order.status !== 'paid' || done[order.id]) continue;
    if (order.invoices.length === 0) await addInvoice(store, order);
    await unlessDone(() =>
      store.shipments.create({ orderId: order.id }, { idempotencyKey: `label ${order.id}` }),
    );
    await unlessDone(() =>
      store.orders.setShippingStatus(
        order.id,
        { statusShipping: 'sent' },
        { idempotencyKey: `sent ${order.id}` },
      ),
    );
    done[order.id] = true;
    state.save();
    console.log(`Invoiced and shipped order ${order.number}`);
  }
}

/** The key follows from the number of the order: a repetition after a crash is the same invoice. */
async function addInvoice(store, order) {
  const invoice = { type: 'nfe', key: invoiceKey(order.number), amount: order.total };
  await unlessDone(() =>
    store.orders.addInvoice(order.id, invoice, { idempotencyKey: `invoice ${order.id}` }),
  );
}

/** Somebody else may have shipped or refunded the order meanwhile: 409. The next pull shows how it is. */
async function unlessDone(call) {
  try {
    await call();
  } catch (error) {
    if (!(error instanceof FeiraError && error.status === 409)) throw error;
    console.log(`  (${error.message})`);
  }
}
