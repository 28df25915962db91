import { beforeAll, describe, expect, test } from 'vitest';
import { expectRejected } from '../../support/expect-rejected.js';
import type { Feira, StoreClient } from '../../support/feira.js';
import { sharedFeira } from '../../support/shared-feira.js';

let feira: Feira;
let store: StoreClient;
let simple: string;
let varied: string;

beforeAll(async () => {
  feira = await sharedFeira();
  store = await feira.store();
  simple = (await store.post('/products', { name: 'Simple', price: 1, sku: 'SIMPLE' })).body.id;
  varied = (await store.post('/products', { name: 'Varied', price: 1 })).body.id;
  const made = await store.put(`/products/${varied}/variants`, { types: TYPES, combinations: [COMBINATION] });
  expect(made.status).toBe(200);
});

const TYPES = [{ name: 'Size', options: ['S', 'M'] }];
const COMBINATION = { combination: 'S', sku: 'V-S', ean: '1', price: 1, quantity: 1 };

/** The path of a field, and a call that sends the given value in this field and valid values in all others. */
type Place = [where: string, call: (value: unknown) => Promise<Awaited<ReturnType<StoreClient['post']>>>];

const post = (field: string): Place => [
  field,
  (value) => store.post('/products', { name: 'New', price: 1, [field]: value }),
];
const patch = (field: string): Place => [
  field,
  (value) => store.patch(`/products/${simple}`, { [field]: value }),
];
const entry = (field: string): Place => [
  `variants[1].${field}`,
  (value) =>
    store.patch(`/products/${varied}/variants`, [
      { sku: 'V-S', quantity: 1 },
      { sku: 'V-S', quantity: 1, [field]: value },
    ]),
];
const combination = (field: string): Place => [
  `combinations[0].${field}`,
  (value) =>
    store.put(`/products/${varied}/variants`, {
      types: TYPES,
      combinations: [{ ...COMBINATION, [field]: value }],
    }),
];
const line = (field: string): Place => [
  `entries[0].${field}`,
  (value) => store.patch('/stock', { entries: [{ sku: 'SIMPLE', quantity: 0, [field]: value }] }),
];
const put = (where: string, body: (value: unknown) => object): Place => [
  where,
  (value) => store.put(`/products/${varied}/variants`, body(value)),
];

const TEXTS: Place[] = [
  ...['name', 'description', 'urlImage', 'sku', 'ean'].flatMap((field) => [post(field), patch(field)]),
  ...['sku', 'setSku', 'setEan'].map(entry),
  ...['combination', 'sku', 'ean'].map(combination),
  put('types[0].name', (name) => ({ types: [{ name, options: ['S'] }], combinations: [] })),
  put('types[0].options[1]', (option) => ({
    types: [{ name: 'Size', options: ['S', option] }],
    combinations: [],
  })),
  put('combinations[0].options[0]', (option) => ({ types: TYPES, combinations: [{ options: [option] }] })),
  line('sku'),
];
const MONEY: Place[] = [
  ...['price', 'priceDiscount'].flatMap((field) => [post(field), patch(field)]),
  entry('price'),
  combination('price'),
];
const MEASURES: Place[] = ['weight', 'width', 'height', 'length'].flatMap((field) => [
  post(field),
  patch(field),
]);
const QUANTITIES: Place[] = [
  post('quantity'),
  patch('quantity'),
  entry('quantity'),
  combination('quantity'),
  line('quantity'),
  line('ifQuantity'),
  ['quantity', (quantity) => store.patch(`/products/${simple}/stock`, { quantity })],
  ['quantity', (quantity) => store.patch(`/products/${varied}/variants/V-S/stock`, { quantity })],
];

async function refuse(places: Place[], values: unknown[]): Promise<void> {
  for (const [field, call] of places)
    for (const value of values) expectRejected(await call(value), 422, [field]);
}

describe('these values are rejected with 422 and the name of the field:', () => {
  test('a text with a NUL or half of a surrogate pair', () =>
    refuse(TEXTS, [
      'a\0b',
      '\0',
      'https://a.example/\0',
      'a\ud800b',
      '\udfff',
      'https://a.example/\udc00\ud800',
    ]));

  test('a value other than a string in a text field', () => refuse(TEXTS, [7, true, {}, ['x']]));

  test('a sku or ean over 100 characters', () =>
    refuse(
      TEXTS.filter(([field]) => /sku$|ean$/i.test(field)),
      ['x'.repeat(101), '👕'.repeat(101)],
    ));

  test('an amount of money that is negative, too large, not a number, or has more than two decimals', () =>
    refuse(MONEY, [
      0.001,
      79.999,
      1e-7,
      -0.01,
      -1,
      1e12,
      999_999_999_999.991,
      1e308,
      '1',
      '',
      true,
      [1],
      {},
    ]));

  test('an amount of money that is not a finite number', async () => {
    for (const price of ['1e309', '-1e309'])
      expectRejected(await store.post('/products', `{"name":"Huge","price":${price}}`), 422, ['price']);
  });

  test('a measure that is negative, too large, not a number, or has more than three decimals', () =>
    refuse(MEASURES, [0.0001, 1.2345, 1e-7, -1, 1e308, '1', false, []]));

  test('a quantity that is negative, fractional, too large, or not a number', () =>
    refuse(QUANTITIES, [-1, 1.5, 2_147_483_648, 1e308, '1', true, [], {}]));

  test('null for a field that does not accept null', async () => {
    await refuse([...QUANTITIES, entry('price'), combination('price')], [null]);
    await refuse([post('name'), post('price'), post('typeId'), post('categoryId'), line('sku')], [null]);
  });

  test('an unknown or malformed typeId or categoryId', async () => {
    await refuse([post('typeId'), patch('typeId')], [0, 4, -1, 1.5, '2', true, 1e308]);
    await refuse([post('categoryId'), patch('categoryId')], [0, -1, 9999, 1.5, '23', true, 2 ** 31, 1e308]);
  });

  test('a urlImage that is not a valid absolute http or https address', () =>
    refuse(
      [post('urlImage'), patch('urlImage')],
      [
        '',
        'image.png',
        '/image.png',
        '//cdn.example/a',
        'ftp://a.example/a',
        'javascript:alert(1)',
        'http://',
        'https:a',
        'https:///cdn.example/a.png',
        'https://cdn.example/a.png ',
        'https://cdn.example/a\nb.png',
        'https://cdn.example/a.png"><script>',
      ],
    ));
});

describe('a rejected call', () => {
  test('reports all errors of a product', async () => {
    const answer = await store.post('/products', {
      price: 1.005,
      priceDiscount: -1,
      quantity: 1.5,
      weight: '1',
      typeId: 4,
      urlImage: 'x',
      sku: 'x'.repeat(101),
    });
    const fields = ['name', 'price', 'priceDiscount', 'quantity', 'sku', 'typeId', 'urlImage', 'weight'];
    expectRejected(answer, 422, fields);
    expect(answer.body.code).toBe('validation_failed');
  });

  test('reports all errors of a batch of variations, each with the index of its entry', async () => {
    const answer = await store.patch(`/products/${varied}/variants`, {
      variants: [
        { sku: 'V-S', quantity: 1 },
        { sku: 'V-S', quantity: -1, price: 'x' },
        7,
        { id: 3, sku: 'V-S', price: 0.001 },
      ],
    });
    const fields = [
      'variants[1].price',
      'variants[1].quantity',
      'variants[2]',
      'variants[3].id',
      'variants[3].price',
    ];
    expectRejected(answer, 422, fields);
  });

  test('reports all errors of the types and combinations of a product', async () => {
    const answer = await store.put(`/products/${varied}/variants`, {
      types: [{ name: 'Size', options: [] }, { options: ['a', 7] }],
      combinations: [{}, { combination: 'S', price: -1, quantity: null }],
    });
    const fields = ['types[0].options', 'types[1].name', 'types[1].options[1]'];
    const combinations = ['combinations[0]', 'combinations[1].price', 'combinations[1].quantity'];
    expectRejected(answer, 422, [...fields, ...combinations]);
  });

  test('reports all errors of a stock batch', async () => {
    const answer = await store.patch('/stock', {
      entries: [{ sku: '', quantity: 1 }, { quantity: -1 }, null],
    });
    expectRejected(answer, 422, ['entries[0].sku', 'entries[1].quantity', 'entries[1].sku', 'entries[2]']);
  });

  test('changes nothing', async () => {
    expect((await store.get('/products')).body.meta.total).toBe(2);
    expect((await store.get(`/products/${varied}`)).body).toMatchObject({ price: 1, quantity: 1 });
    expect((await store.get(`/products/${simple}`)).body).toMatchObject({
      name: 'Simple',
      quantity: 0,
      sku: 'SIMPLE',
    });
  });
});
