import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { newProduct } from '../support/catalog.js';
import type { Answer, Feira, StoreClient } from '../support/feira.js';
import { sharedFeira } from '../support/shared-feira.js';
import { sized } from '../support/sized.js';

// Only a few options, SKUs and balances are used, so that SKUs often disappear with one variation and return with
// another. No step changes the SKU of an existing variation, because that changes no balance and emits only
// product.updated.

let feira: Feira;
let store: StoreClient;

beforeAll(async () => {
  feira = await sharedFeira();
  store = await feira.store();
});

const OPTIONS = ['P', 'M', 'G'];

const sku = fc.constantFrom('X1', 'X2', 'X3', null);
const quantity = fc.integer({ min: 0, max: 2 });

const put = fc.record({
  call: fc.constant('PUT' as const),
  prune: fc.boolean(),
  combinations: fc.uniqueArray(
    fc.record({ combination: fc.constantFrom(...OPTIONS), sku, quantity }, { requiredKeys: ['combination'] }),
    { selector: ({ combination }) => combination, maxLength: OPTIONS.length },
  ),
});
const patch = fc.record({
  call: fc.constant('PATCH' as const),
  entries: fc.uniqueArray(fc.record({ at: fc.nat(OPTIONS.length - 1), quantity }), {
    selector: ({ at }) => at,
    minLength: 1,
    maxLength: OPTIONS.length,
  }),
});
type Made<A> = A extends fc.Arbitrary<infer Value> ? Value : never;
type Step = Made<typeof put> | Made<typeof patch>;

test('after any sequence of PUT and PATCH calls, the last stock.updated event of each current SKU contains its balance', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(put, patch), { minLength: 2, maxLength: 8 }), async (steps) => {
      const id = await newProduct(store);
      for (const step of steps) expect([200, 409]).toContain((await take(id, step)).status);
      await expectLastEventsToMatch(id);
    }),
    { seed: 20_261_115, numRuns: sized(20, 80) },
  );
});

async function take(id: string, step: Step): Promise<Answer> {
  const path = `/products/${id}/variants`;
  const present = await store.get(path);
  if (step.call === 'PUT') {
    const isThere = (combination: string) =>
      present.body.data.some((variation: { combination: string }) => variation.combination === combination);
    const combinations = step.combinations.map(({ sku, ...entry }) =>
      isThere(entry.combination) ? entry : { ...entry, sku },
    );
    const types = [{ name: 'Tamanho', options: OPTIONS }];
    return store.put(`${path}?prune=${step.prune}`, { types, combinations });
  }
  const variants = step.entries.flatMap(({ at, ...change }) =>
    at < present.body.data.length ? [{ id: present.body.data[at].id, ...change }] : [],
  );
  return variants.length === 0 ? present : store.patch(path, { variants });
}

async function expectLastEventsToMatch(id: string): Promise<void> {
  const reported = new Map<unknown, unknown>();
  for (const { event, data } of await feira.events(store.workspaceId)) {
    if (event === 'stock.updated' && data.id === id) reported.set(data.sku, data.quantity);
  }
  for (const variation of (await store.get(`/products/${id}/variants`)).body.data) {
    if (variation.sku === null) continue;
    // A SKU for which no event was emitted has no stock.
    expect([variation.sku, reported.get(variation.sku) ?? 0]).toEqual([variation.sku, variation.quantity]);
  }
}
