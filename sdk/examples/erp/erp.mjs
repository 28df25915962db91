// A small ERP connector. It connects a store by OAuth, copies the catalog, and then keeps both sides in sync: stock in
// both directions, orders in, invoices and shipments out. It can be stopped or killed at any time and continues from
// its saved state. Run `npm start` in one terminal and `node sdk/examples/erp/erp.mjs` in another.
import { setTimeout as wait } from 'node:timers/promises';
import { FeiraError } from '@feira/sdk';
import { applyEvents, copyCatalog, mapSkus } from './catalog.mjs';
import { compareWithStore } from './compare.mjs';
import { connectStore } from './connection.mjs';
import { invoiceAndShip, pullOrders } from './orders.mjs';
import { openState } from './state.mjs';
import { receiveGoods, sendStock } from './stock.mjs';

const EVERY_MS = 2_000;

const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
process.once('SIGTERM', () => stop.abort());

const state = openState();
const store = await connectStore(state);
if (state.data.eventCursor === undefined) await copyCatalog(store, state);
await mapSkus(store, state);

while (!stop.signal.aborted) {
  try {
    await sendStock(store, state);
    await receiveGoods(state);
    await applyEvents(store, state);
    await pullOrders(store, state);
    await invoiceAndShip(store, state, stop.signal);
  } catch (error) {
    // The SDK has already made all useful retries. The remaining work stays in the state and is done in the next round.
    if (!(error instanceof FeiraError)) throw error;
    console.log(
      `! ${error.code}: ${error.message} (${error.requestId ? `request ${error.requestId}` : 'no response'})`,
    );
  }
  await wait(EVERY_MS, undefined, { signal: stop.signal }).catch(() => {});
}

await sendStock(store, state);
const differences = await compareWithStore(store, state);
console.log(
  differences.length === 0 ? 'The state matches the store' : `Differences:\n${differences.join('\n')}`,
);
process.exitCode = differences.length === 0 ? 0 : 1;
