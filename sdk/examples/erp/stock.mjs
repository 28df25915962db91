/** Simulates goods arriving in the warehouse. The stock change is saved with its idempotency key before it is sent. */
export async function receiveGoods(state) {
  const skus = Object.values(state.data.products)
    .flatMap(({ sku, variants, hasVariants }) =>
      hasVariants ? variants.map((variant) => variant.sku) : [sku],
    )
    .filter(Boolean);
  const sku = skus[Math.floor(Math.random() * skus.length)];
  if (!sku) return;
  const entries = [{ sku, delta: 1 + Math.floor(Math.random() * 5) }];
  state.data.stockToSend.push({ key: crypto.randomUUID(), entries });
  state.save();
}

/**
 * Sends differences instead of balances, because buyers reduce the same stock. With the idempotency key, a change is
 * applied only once, even if it is sent again.
 */
export async function sendStock(store, state) {
  const { stockToSend } = state.data;
  while (stockToSend.length > 0) {
    const { key, entries } = stockToSend[0];
    const { lines } = await store.stock.set(entries, { idempotencyKey: key, priority: 'high' });
    for (const [index, { sku, ok, error }] of lines.entries())
      console.log(ok ? `Sent ${entries[index].delta} units of ${sku}` : `! ${sku}: ${error}`);
    stockToSend.shift();
    state.save();
  }
}
