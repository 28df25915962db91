import { expect, test } from 'vitest';
import { sql } from '../../src/platform/db/sql.js';
import { newProduct } from '../support/catalog.js';
import { openFeira } from '../support/feira.js';
import { buy } from '../support/shop.js';

test('an order whose customer is deleted during the checkout fails as a whole and takes no stock', async () => {
  const feira = await openFeira();
  try {
    const store = await feira.store();
    const productId = await newProduct(store, { quantity: 5 });
    // With this rule the customer is missing when the order is inserted, as if an operator had deleted an existing
    // customer just after the checkout had found that customer.
    await feira.context.db
      .store('test')
      .autocommit.query(sql`create rule forgotten as on insert to customers do instead nothing`);
    const lines = [{ productId, variantId: null, quantity: 1 }];
    await expect(buy(feira, store.workspaceId, { lines })).rejects.toMatchObject({ code: '23502' });
    expect((await store.get(`/products/${productId}`)).body.quantity).toBe(5);
    expect((await store.get('/orders')).body.data).toEqual([]);
  } finally {
    await feira.close();
  }
});
