import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { PUBLIC_FOLDER } from '../../src/platform/html/assets.js';
import { setAccentColor } from '../../src/stores/stores.js';
import { shopOf, Visitor } from '../support/buyer.js';
import { newProduct } from '../support/catalog.js';
import type { Feira, StoreClient } from '../support/feira.js';
import { sharedFeira } from '../support/shared-feira.js';

let feira: Feira;
let store: StoreClient;
let visitor: Visitor;

beforeAll(async () => {
  feira = await sharedFeira();
  store = await feira.store();
  visitor = new Visitor(feira, await shopOf(feira, store));
});

const SCHEMES = ['light', 'dark'] as const;
const tokensIn = (css: string, scheme: number): Record<string, string> =>
  Object.fromEntries(
    [...css.matchAll(/--([\w-]+):\s*light-dark\((#\w+),\s*(#\w+)\)/g)].map((found) => [
      found[1],
      found[2 + scheme],
    ]),
  );

/** The contrast ratio as WCAG 2.2 defines it. */
function contrast(a: string, b: string): number {
  const [darker, lighter] = [a, b].map(luminance).sort((x, y) => x - y) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(color: string): number {
  const digits =
    color.length === 4 ? [...color.slice(1)].map((digit) => digit + digit) : color.match(/\w\w/g);
  const [red = 0, green = 0, blue = 0] = (digits ?? []).map((pair) => {
    const part = Number.parseInt(pair, 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const tokens = readFileSync(`${PUBLIC_FOLDER}tokens.css`, 'utf8');
const COLORS = [
  '000000',
  'ffffff',
  'ffe600',
  '0000ff',
  'ff0000',
  '00ff00',
  '808080',
  'b4431c',
  '7c3aed',
  'ffc0cb',
];

test.each(COLORS)('colors derived from #%s have enough contrast in light and dark mode', async (color) => {
  const { statusCode, headers, body } = await feira.app.inject(`/assets/accent/${color}.css`);
  expect([statusCode, headers['content-type']]).toEqual([200, 'text/css; charset=utf-8']);
  SCHEMES.forEach((scheme, at) => {
    const page = tokensIn(tokens, at);
    const accent = tokensIn(body, at);
    const pairs = [
      ...['paper', 'ground', 'sunk'].map((name) => ({ name, text: accent.accent, ground: page[name] })),
      { name: 'soft', text: accent.accent, ground: accent['accent-soft'] },
      { name: 'ink', text: accent['accent-ink'], ground: accent.accent },
      { name: 'hover', text: accent['accent-ink'], ground: accent['accent-hover'] },
    ];
    for (const { name, text, ground } of pairs)
      expect(contrast(text as string, ground as string), `${scheme} ${name}`).toBeGreaterThanOrEqual(4.5);
  });
});

test('with the default colors, text has a contrast of at least 4.5:1 and borders of fields have at least 3:1', () => {
  SCHEMES.forEach((scheme, at) => {
    const page = tokensIn(tokens, at) as Record<string, string>;
    for (const ground of ['paper', 'ground', 'sunk']) {
      for (const text of ['ink', 'soft', 'accent', 'danger', 'few', 'good', 'info'])
        expect(contrast(page[text]!, page[ground]!), `${scheme} ${text} on ${ground}`).toBeGreaterThanOrEqual(
          4.5,
        );
      expect(contrast(page.edge!, page[ground]!), `${scheme} edge on ${ground}`).toBeGreaterThanOrEqual(3);
    }
  });
});

test('a path under /assets/accent other than six hexadecimal digits and .css responds with 404', async () => {
  for (const file of [
    'red.css',
    'b4431c',
    'b4431c.js',
    'b4431.css',
    'b4431c0.css',
    'b4431c.css.x',
    'b4431c.x.css',
    '%00.css',
  ])
    expect((await feira.app.inject(`/assets/accent/${file}`)).statusCode, file).toBe(404);
});

test('every page of a shop, including the payment page, has the accent color as soon as it is set', async () => {
  const mug = await newProduct(store, { name: 'Mug', quantity: 9 });
  expect((await visitor.at()).html).not.toContain('/assets/accent/');
  await setAccentColor(feira.context.db.system('command').autocommit, store.workspaceId, 'b4431c');
  await visitor.add(mug);
  const pages = [
    '',
    `/products/mug-${mug}`,
    '/cart',
    '/checkout',
    '/checkout?zip=01001000',
    '/orders',
    '/nothing',
  ];
  const shown = await Promise.all(pages.map((path) => visitor.at(path)));
  const payment = await visitor.buy(mug);
  shown.push(
    await visitor.get(payment),
    await visitor.settle(payment, 'Decline'),
    await visitor.settle(payment),
  );
  for (const { html } of [...shown, await new Visitor(feira, visitor.shop).at()]) {
    expect(html).toContain('<link rel="stylesheet" href="/assets/accent/b4431c.css"/>');
    expect(html).toContain(`<a class="shop" href="/s/${visitor.shop.slug}">`);
    expect(html).toContain('<footer>');
  }
});

test('the payment page keeps the language that is chosen on it', async () => {
  const mug = await newProduct(store, { name: 'Cup', quantity: 9 });
  const payment = await visitor.buy(mug);
  const chosen = await visitor.get(`${payment}&lang=pt`);
  expect(chosen).toMatchObject({ status: 303, location: payment });
  expect((await visitor.get(payment)).html).toContain('<html lang="pt-BR">');
});
