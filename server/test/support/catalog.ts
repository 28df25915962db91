import { expect } from 'vitest';
import type { Answer, Feira, StoreClient } from './feira.js';

let made = 0;

/** Creates a product, by default without variations, and returns its id. */
export async function newProduct(store: StoreClient, fields: object = {}): Promise<string> {
  const answer = await store.post('/products', { name: `Product no. ${++made}`, price: 10, ...fields });
  expect(answer.status).toBe(201);
  return answer.body.id;
}

/** Creates a product with one variation per entry. The key is both its option and its SKU; the value is its stock. */
export async function newVaried(store: StoreClient, balances: Record<string, number>): Promise<string> {
  const id = await newProduct(store);
  const answer = await store.put(`/products/${id}/variants`, sizes(balances));
  expect(answer.status).toBe(200);
  return id;
}

/** Returns the body that `newVaried` sends to PUT /products/{id}/variants. */
export function sizes(balances: Record<string, number>) {
  return {
    types: [{ name: 'Size', options: Object.keys(balances) }],
    combinations: Object.entries(balances).map(([sku, quantity]) => ({ combination: sku, sku, quantity })),
  };
}

/** Returns the response of a call and exactly the events that it emitted. */
export async function observe<A extends object = Answer>(
  feira: Feira,
  store: StoreClient,
  call: () => Promise<A>,
): Promise<A & { events: { event: string; data: Record<string, unknown> }[] }> {
  const before = await feira.events(store.workspaceId);
  const answer = await call();
  const after = await feira.events(store.workspaceId);
  expect(after.slice(0, before.length)).toEqual(before);
  return { ...answer, events: after.slice(before.length) };
}

/** Returns the fields that a 422 response lists. */
export function faultyFields(answer: Answer): string[] {
  expect(answer.status).toBe(422);
  return answer.body.details.map((detail: { field: string }) => detail.field);
}
