import { expect } from 'vitest';
import { hasValidCheckDigit } from '../../src/orders/access-key.js';
import { newProduct, newVaried, sizes } from './catalog.js';
import type { Answer, Feira, StoreClient } from './feira.js';
import { pngOf } from './images.js';
import { upload } from './media.js';
import { order } from './shop.js';

/**
 * Makes a change as the app `by`. The products, images and orders that it needs are created by `helper` or a buyer, so
 * that `by` causes only events of the tested route.
 */
type CallWithEvents = (
  by: StoreClient,
  helper: StoreClient,
  headers: Record<string, string>,
  feira: Feira,
) => Promise<Answer>;

/** Every API call that emits an event, by its route. */
export const CALLS_WITH_EVENTS: Record<string, CallWithEvents> = {
  'POST /products': (by, _, headers) => by.post('/products', { name: `Own ${++sku}`, price: 1 }, headers),
  'PATCH /products/:id': async (by, helper, headers) =>
    by.patch(`/products/${await newProduct(helper)}`, { price: 2, quantity: 3 }, headers),
  'DELETE /products/:id': async (by, helper, headers) =>
    by.delete(`/products/${await newProduct(helper)}`, headers),
  'PUT /products/:id/variants': async (by, helper, headers) =>
    by.put(`/products/${await newProduct(helper)}/variants`, sizes({ S: 1, M: 2 }), headers),
  'PATCH /products/:id/variants': async (by, helper, headers) => {
    const variants = [
      { sku: 'S', price: 5, quantity: 6 },
      { sku: 'M', quantity: 7 },
    ];
    return by.patch(`/products/${await newVaried(helper, { S: 1, M: 2 })}/variants`, { variants }, headers);
  },
  'PATCH /products/:id/stock': async (by, helper, headers) =>
    by.patch(`/products/${await newProduct(helper)}/stock`, { quantity: 4 }, headers),
  'PATCH /products/:id/variants/:sku/stock': async (by, helper, headers) =>
    by.patch(`/products/${await newVaried(helper, { S: 1 })}/variants/S/stock`, { quantity: 4 }, headers),
  'PATCH /stock': async (by, helper, headers) => {
    const [first, second] = [`OWN-${++sku}`, `OWN-${++sku}`];
    await newProduct(helper, { sku: first });
    await newVaried(helper, { [second!]: 1 });
    const entries = [
      { sku: first, quantity: 4 },
      { sku: second, delta: 1 },
    ];
    return by.patch('/stock', { entries }, headers);
  },
  'POST /products/:id/images': async (by, helper, headers, feira) => {
    const product = await newProduct(helper);
    const key = await upload(feira, by, product, await pngOf(1));
    expect((await by.post(`/products/${product}/images`, { key })).status).toBe(201);
    return by.post(`/products/${product}/images`, { url: 'https://cdn.example/a.png', order: 0 }, headers);
  },
  'PATCH /products/:id/images/:imageId': async (by, helper, headers) => {
    const product = await newProduct(helper);
    await newImage(helper, product);
    const second = await newImage(helper, product);
    return by.patch(`/products/${product}/images/${second}`, { order: 0 }, headers);
  },
  'DELETE /products/:id/images/:imageId': async (by, helper, headers) => {
    const product = await newProduct(helper);
    return by.delete(`/products/${product}/images/${await newImage(helper, product)}`, headers);
  },
  'PATCH /orders/:id/shipping-status': async (by, helper, headers, feira) =>
    by.patch(
      `/orders/${await paidOrder(feira, helper)}/shipping-status`,
      { statusShipping: 'sent', codeShipping: `AA${++sku}BR` },
      headers,
    ),
  'POST /shipments': async (by, helper, headers, feira) =>
    by.post('/shipments', { orderId: await paidOrder(feira, helper) }, headers),
  'POST /orders/:id/invoices': async (by, helper, headers, feira) =>
    by.post(
      `/orders/${await paidOrder(feira, helper)}/invoices`,
      { type: 'nfe', key: newAccessKey() },
      headers,
    ),
  'POST /orders/:id/refund': async (by, helper, headers, feira) =>
    by.post(`/orders/${await paidOrder(feira, helper)}/refund`, { restock: true }, headers),
};

export async function paidOrder(feira: Feira, helper: StoreClient): Promise<string> {
  const productId = await newProduct(helper, { quantity: 5 });
  return order(feira, helper.workspaceId, { productId, variantId: null, quantity: 1 });
}

async function newImage(helper: StoreClient, product: string): Promise<string> {
  const url = `https://cdn.example/${product}.png`;
  return (await helper.post(`/products/${product}/images`, { url })).body.id;
}

let sku = 0;

/** Returns an access key that no invoice has yet. */
function newAccessKey(): string {
  const start = `352601123456780001955500100${String(++sku).padStart(16, '0')}`;
  return [...'0123456789'].map((digit) => start + digit).find(hasValidCheckDigit)!;
}
