import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { shopOf, Visitor } from '../../support/buyer.js';
import type { Feira, StoreClient } from '../../support/feira.js';
import { sharedFeira } from '../../support/shared-feira.js';

// Unicode normalization takes time proportional to the square of the number of consecutive combining marks: 78 kB of
// them blocked the process for six seconds. So the length and the number of consecutive marks must be checked first.

/** Longer texts must not be normalized. */
const LONGEST = 1_200;
/** Matches more consecutive marks than Unicode's stream-safe text format (UAX 15) allows. */
const RUN = /\p{M}{31}/u;
/** The marks are not in canonical order, because reordering them is what takes time. */
const MARKS = '\u0301\u0323';

let feira: Feira;
let store: StoreClient;
let product: string;
/** The lengths of texts that were normalized although they are too long or contain too many consecutive marks. */
let unbounded: number[];

beforeAll(async () => {
  feira = await sharedFeira();
  store = await feira.store();
  product = (await store.post('/products', { name: 'Shirt', price: 10, quantity: 5 })).body.id;
});
beforeEach(() => {
  unbounded = [];
  const original = String.prototype.normalize;
  vi.spyOn(String.prototype, 'normalize').mockImplementation(function (this: string, form) {
    if (this.length > LONGEST || RUN.test(String(this))) unbounded.push(this.length);
    return original.call(this, form);
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  expect(unbounded).toEqual([]);
});

const marks = (units: number) => `a${MARKS.repeat(units / 2)}`;

test.each([255_000, 1_000, 40])(
  'a product name with a run of %d combining marks returns 422',
  async (units) => {
    const answer = await store.post('/products', { name: marks(units), price: 1 });
    expect(answer.status).toBe(422);
    expect(answer.body.details).toEqual([{ field: 'name', message: expect.any(String) }]);
  },
);

test('a product name of 255 letters with three marks each is accepted', async () => {
  const name = '\u03b1\u0313\u0300\u0345'.repeat(255);
  const { status, body } = await store.post('/products', { name, price: 1 });
  expect([status, body.name]).toEqual([201, '\u1f82'.repeat(255)]);
});

test('the options of a product are checked before they are normalized', async () => {
  const option = marks(398);
  const types = [{ name: 'Size', options: Array.from({ length: 100 }, (_, index) => `${index}${option}`) }];
  const combinations = Array.from({ length: 1_000 }, (_, index) => ({
    combination: `${index % 100}${option}`,
  }));
  const answer = await store.put(`/products/${product}/variants`, { types, combinations });
  expect(answer.status).toBe(422);
});

test('the text of a combination is checked before it is normalized', async () => {
  const types = [{ name: 'Size', options: ['P'] }];
  const answer = await store.put(`/products/${product}/variants`, {
    types,
    combinations: [{ combination: marks(398) }],
  });
  expect(answer.status).toBe(422);
  expect(answer.body.details[0].field).toBe('combinations[0].combination');
});

test('the fields of a checkout form are checked before they are normalized', async () => {
  const visitor = new Visitor(feira, await shopOf(feira, store));
  await visitor.add(product);
  for (const units of [4_000, 100]) {
    const page = await visitor.order({ name: marks(units), street: marks(units) });
    expect(page.status).toBe(422);
  }
});

test('the length of a password is checked before the password is normalized', async () => {
  const visitor = new Visitor(feira, await shopOf(feira, store));
  const page = await visitor.press(await visitor.get('/sign-in'), 'Sign in', {
    email: 'owner@store.example',
    password: marks(9_000),
  });
  expect(page.status).toBe(401);
});
