import { applyEvents } from './catalog.mjs';
import { pullOrders } from './orders.mjs';

/** Reads all changes up to now and returns the differences between the state and the store. */
export async function compareWithStore(store, state) {
  await applyEvents(store, state);
  await pullOrders(store, state);
  const { products, orders } = state.data;
  const differences = [];
  const seen = new Set();
  for await (const product of store.products.list({ limit: 100, include: ['variants'] })) {
    seen.add(product.id);
    const expected = quantities(product);
    const known = products[product.id] && quantities(products[product.id]);
    if (known !== expected)
      differences.push(`${product.name}: the store has ${expected}, the ERP ${known ?? 'does not have it'}`);
  }
  for (const id of Object.keys(products))
    if (!seen.has(id)) differences.push(`Product ${id} is not in the store`);
  for await (const order of store.orders.list({ limit: 100 })) {
    const known = orders[order.id];
    if (JSON.stringify(known) !== JSON.stringify(order)) differences.push(`Order ${order.number} differs`);
  }
  return differences;
}

function quantities({ sku, quantity, variants, hasVariants }) {
  const parts = hasVariants ? variants : [{ sku, quantity }];
  return parts
    .map((part) => `${part.sku}=${part.quantity}`)
    .sort()
    .join(' ');
}
