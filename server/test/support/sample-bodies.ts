import type { PopulatedStore } from './populated-store.js';

/** Returns a body in the documented format for every route that accepts one, by method and path. */
export function sampleBodies({ ids }: PopulatedStore): Record<string, unknown> {
  return {
    'POST /products': {
      name: 'Sample',
      price: 79.9,
      priceDiscount: 59.9,
      description: 'Text',
      quantity: 5,
      weight: 0.25,
      typeId: 2,
      categoryId: 23,
      urlImage: 'https://cdn.example/a.png',
      sku: 'R-1',
      ean: '7891234567895',
      ncm: '61091000',
      cest: '2803800',
      fiscalOrigin: 0,
    },
    'PATCH /products/:id': {
      name: 'Renamed',
      price: 1,
      priceDiscount: null,
      weight: 1.5,
      sku: 'R-2',
      ean: null,
    },
    'PATCH /products/:id/stock': { quantity: 1 },
    'PATCH /stock': {
      entries: [
        { sku: 'S-1', quantity: 1 },
        { sku: 'S-1', delta: -1, ifQuantity: 1 },
      ],
    },
    'PATCH /products/:id/variants': {
      variants: [{ sku: 'S-1', setSku: 'S-2', setEan: '1', price: 1, quantity: 1 }],
    },
    'PUT /products/:id/variants': {
      types: [
        { name: 'Size', options: ['S', 'M'] },
        { name: 'Color', options: ['Blue'] },
      ],
      combinations: [
        { combination: 'S - Blue', sku: 'S-1', ean: '1', price: 79.9, quantity: 5 },
        { options: ['M', 'Blue'], sku: null },
      ],
    },
    'PATCH /products/:id/variants/:sku/stock': { quantity: 1 },
    'POST /webhooks': {
      url: 'https://127.0.0.1:9/hook',
      events: ['stock.updated', 'order.paid'],
      filter: { fields: ['price', 'variants'] },
      excludeOwn: true,
    },
    'PATCH /webhooks/:id': {
      url: 'https://127.0.0.1:9/hook',
      events: ['product.updated'],
      filter: { fields: ['price'] },
      excludeOwn: true,
    },
    'POST /webhooks/:id/replay': { from: '2026-01-31', to: '2026-02-01T00:00:00Z', status: 'failed' },
    'POST /orders/:id/invoices': {
      type: 'nfe',
      key: '3526050X0J92JY000196570010000006041448679011',
      number: '604',
      series: '1',
      issuedAt: '2026-05-04T10:00:00-03:00',
      amount: 178.3,
      xmlUrl: 'https://erp.example/604.xml',
      pdfUrl: 'https://erp.example/604.pdf',
    },
    'POST /orders/:id/refund': { reason: 'broken', restock: true },
    'PATCH /orders/:id/shipping-status': {
      statusShipping: 'sent',
      codeShipping: 'AA123456785BR',
      carrier: 'Correios',
      trackingUrl: 'https://x.example/',
    },
    'POST /shipments': { orderId: ids.order, carrier: 'Correios' },
    'POST /uploads': { productId: ids.product, contentType: 'image/png', contentLength: 100 },
    'POST /products/:id/images': { key: 'product_images/p/a.png', order: 0 },
    'PATCH /products/:id/images/:imageId': { order: 0 },
  };
}

export function keyOf({ method, url }: { method: string; url: string }): string {
  return `${method} ${url.replace('/api/v1', '')}`;
}
