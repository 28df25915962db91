import { FeiraError } from '@feira/sdk';

/** Copies the catalog from one consistent snapshot, and saves the snapshot's cursor, from which the events continue. */
export async function copyCatalog(store, state) {
  let products = {};
  const snapshot = store.products.snapshot({
    onRestart() {
      console.log('The snapshot was interrupted and starts again');
      products = {};
    },
  });
  for await (const product of snapshot) products[product.id] = product;
  Object.assign(state.data, { products, eventCursor: snapshot.cursor });
  state.save();
  console.log(`Copied ${Object.keys(products).length} products as of ${snapshot.at}`);
}

/** Gives SKUs to simple products and variations that have none, because the ERP identifies them by SKU. */
export async function mapSkus(store, state) {
  for (const product of Object.values(state.data.products)) {
    const unnamed = product.variants.filter(({ sku }) => !sku);
    if (!product.hasVariants && !product.sku) {
      await store.products.update(product.id, { sku: `ERP-${product.id}` });
      console.log(`Mapped ${product.name}`);
    }
    if (unnamed.length > 0) {
      const entries = unnamed.map(({ id }) => ({ id, setSku: `ERP-${id}` }));
      await store.variants.update(product.id, entries);
      console.log(`Mapped ${entries.length} variations of ${product.name}`);
    }
  }
}

/**
 * Applies the events since the last round. A stock event contains the new balance. The events about a new or changed
 * product do not contain all of its values, so the product is read again.
 */
export async function applyEvents(store, state) {
  const { products } = state.data;
  const feed = store.events.after(state.data.eventCursor);
  for await (const { data, cursor } of feed.pages()) {
    for (const { event, data: change } of data) {
      if (event === 'stock.updated') setQuantity(products[change.id], change);
      else if (event === 'product.deleted') delete products[change.id];
      else if (event.startsWith('product.')) await readAgain(store, products, change.id);
    }
    state.data.eventCursor = cursor;
    state.save();
    console.log(`Applied ${data.length} events`);
  }
}

function setQuantity(product, { sku, quantity }) {
  if (!product) return;
  if (sku === undefined) {
    product.quantity = quantity;
    return;
  }
  for (const variant of product.variants) if (variant.sku === sku) variant.quantity = quantity;
  product.quantity = product.variants.reduce((sum, variant) => sum + variant.quantity, 0);
}

async function readAgain(store, products, id) {
  try {
    products[id] = await store.products.get(id);
  } catch (error) {
    // The product has been deleted since. The event product.deleted follows later in the feed.
    if (!(error instanceof FeiraError && error.status === 404)) throw error;
  }
}
