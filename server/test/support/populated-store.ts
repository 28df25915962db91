import { newProduct } from './catalog.js';
import type { Feira, StoreClient } from './feira.js';
import { pngOf } from './images.js';
import { uploadAndAttach } from './media.js';
import { order } from './shop.js';

/** A store with at least one resource of every kind that the API uses in a path. */
export interface PopulatedStore {
  store: StoreClient;
  ids: Record<'product' | 'image' | 'order' | 'invoice' | 'shipment' | 'webhook' | 'delivery', string>;
}

const SKU = 'S-1';

export async function populate(feira: Feira): Promise<PopulatedStore> {
  const store = await feira.store();
  const webhook = await store.post('/webhooks', {
    url: 'http://127.0.0.1:9/hook',
    events: ['product.created'],
  });
  const product = await newProduct(store);
  await store.put(`/products/${product}/variants`, {
    types: [{ name: 'Size', options: ['S'] }],
    combinations: [{ combination: 'S', sku: SKU, quantity: 3 }],
  });
  const image = await uploadAndAttach(feira, store, product, await pngOf(1));
  const sold = await newProduct(store, { quantity: 5 });
  const orderId = await order(feira, store.workspaceId, { productId: sold, variantId: null, quantity: 1 });
  const invoice = await store.post(`/orders/${orderId}/invoices`, {
    type: 'nfe',
    key: '35260112345678000195550010000000011000000012',
  });
  const shipment = await store.post('/shipments', { orderId });
  const deliveries = await store.get(`/webhooks/${webhook.body.id}/deliveries`);
  const ids = {
    product,
    image: image.body.id,
    order: orderId,
    invoice: invoice.body.key,
    shipment: shipment.body.code,
    webhook: webhook.body.id,
    delivery: deliveries.body.data[0].id,
  };
  for (const [kind, id] of Object.entries(ids)) if (!id) throw new Error(`the store has no ${kind}`);
  return { store, ids };
}

/**
 * Returns values for the parameters of a route, in the order of the path. The first value identifies a resource of the
 * store. Throws for an unknown parameter, so that tests generated from the routes cannot skip a route.
 */
export function parametersOf(url: string, { ids }: PopulatedStore): { name: string; value: string }[] {
  return [...url.matchAll(/\/([^/]+)\/:(\w+)/g)].map(([, collection, name]) => {
    const known: Record<string, string> = {
      'products/:id': ids.product,
      'orders/:id': ids.order,
      'webhooks/:id': ids.webhook,
      'shipments/:code': ids.shipment,
      'variants/:sku': SKU,
      'images/:imageId': ids.image,
      'deliveries/:deliveryId': ids.delivery,
      'invoices/:key': ids.invoice,
    };
    const value = known[`${collection}/:${name}`];
    if (value === undefined)
      throw new Error(`populated-store.ts has no record for ${collection}/:${name} (${url})`);
    return { name: name!, value };
  });
}

/** Returns the path of a route with all parameters filled in. `first` replaces the value of the first parameter. */
export function pathOf(url: string, populated: PopulatedStore, first?: string): string {
  const parameters = parametersOf(url, populated);
  let index = 0;
  return url.replace(/:\w+/g, () => {
    const value = index === 0 && first !== undefined ? first : encodeURIComponent(parameters[index]!.value);
    index++;
    return value;
  });
}
