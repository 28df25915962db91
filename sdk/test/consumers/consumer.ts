// packaging.long.test.ts compiles this file as the code of a consumer, with several TypeScript configurations.
import { type Feira, FeiraError, type Order, type OrderStatus, ReconnectNeeded } from '@feira/sdk';
import { FeiraApp, MemoryTokens } from '@feira/sdk/oauth';
import { sign } from '@feira/sdk/testing';
import { Webhooks } from '@feira/sdk/webhooks';

const app = new FeiraApp({
  baseUrl: 'https://api.feira.example',
  clientId: 'id',
  clientSecret: 'secret',
  redirectUri: 'https://erp.example/callback',
  scopes: ['products:read', 'a-scope:added-later'],
  tokens: new MemoryTokens(),
});
const store: Feira = app.store('w1');

export async function use(): Promise<string[]> {
  const names: string[] = [];
  for await (const product of store.products.list({ limit: 10 })) names.push(product.name);
  for await (const { data, cursor } of store.events.after().pages())
    names.push(cursor, ...data.map((e) => e.event));
  const page = await store.orders.list({ status: ['paid'], updatedFrom: new Date() });
  const { data, response } = await store.products.get('p1').withResponse();
  names.push(...page.data.map((order: Order) => label(order.status)), data.name, String(response.status));
  try {
    await store.stock.set([{ sku: 'A', delta: -1 }], { idempotencyKey: 'k' });
  } catch (error) {
    if (error instanceof ReconnectNeeded) names.push(error.authorizeUrl);
    else if (error instanceof FeiraError) names.push(error.code, error.requestId ?? '');
  }
  return names;
}

/** The type of the status is open, so a status that the API adds later does not break the build. */
function label(status: OrderStatus): string {
  switch (status) {
    case 'paid':
      return 'Pago';
    default:
      return status.toUpperCase();
  }
}

const hooks = new Webhooks({ secret: 'whsec_' });
hooks.on('order.paid', ({ data }) => data.orderId.length);
hooks.on('stock.updated', ({ data }) => data.quantity.toFixed());
hooks.on('*', ({ event }) => {
  const later: typeof event = 'an event of tomorrow';
  return later.length;
});
// @ts-expect-error: no such event
hooks.on('order.payed', () => {});

export const signed = sign({ event: 'order.paid', data: { orderId: 'o1' } }, 'whsec_');
// @ts-expect-error: an order.paid has an orderId
export const wrong = sign({ event: 'order.paid', data: { id: 'o1' } }, 'whsec_');
