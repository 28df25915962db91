/** Simulates goods that arrive in the warehouse. The change is saved, with its idempotency key, before it is sent. */
export async function receiveGoods(state) {
  const skus = Object.values(state.data.products).flatMap(({ sku, variants, hasVariants }) =>
    hasVariants ? variants.map((variant) => variant.sku) : [sku],
  );
  const sku = skus.filter(Boolean)[Math.floor(Math.random() * skus.length)];
  if (!sku) return;
  const entries = [{ sku, delta: 1 + Math.floor(Math.random() * 5) }];
  state.data.stockToSend.push({ key: crypto.randomUUID(), entries });
  state.save();
}

/**
 * Sends differences instead of balances, because buyers reduce the same stock. With the idempotency key, a retry is
 * applied only once.
 */
export async function sendStock(store, state) {
  const { stockToSend } = state.data;
  while (stockToSend.length > 0) {
    const { key, entries } = stockToSend[0];
    const { failed } = await store.stock.set(entries, { idempotencyKey: key, priority: 'high' });
    for (const { sku, error } of failed) console.log(`! ${sku}: ${error}`);
    for (const { sku, delta } of entries) console.log(`Sent ${delta} units of ${sku}`);
    stockToSend.shift();
    state.save();
  }
}
