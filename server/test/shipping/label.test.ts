import { beforeAll, expect, test } from 'vitest';
import { labelPdf } from '../../src/shipping/label.js';
import { newProduct } from '../support/catalog.js';
import type { Feira } from '../support/feira.js';
import { readBarcode } from '../support/read-barcode.js';
import { sharedFeira } from '../support/shared-feira.js';
import { BUYER, order } from '../support/shop.js';

let feira: Feira;

beforeAll(async () => {
  feira = await sharedFeira();
});

/** Returns the texts of a label with their font sizes, from top to bottom. */
function textsOf(pdf: Buffer): { size: number; text: string }[] {
  return [...pdf.toString('latin1').matchAll(/\/[BP] (\d+) Tf [\d.]+ [\d.]+ Td \((.*)\) Tj/g)].map(
    (match) => ({
      size: Number(match[1]),
      text: match[2]!,
    }),
  );
}

test('a long name and address fit on the label, including the apartment and the postal code', async () => {
  const store = await feira.store();
  const productId = await newProduct(store, { quantity: 1 });
  const address = {
    ...BUYER.address,
    street: 'Avenida Presidente Juscelino Kubitschek de Oliveira',
    number: '12345',
    complement: 'bloco C apartamento 1203',
    district: 'Jardim Nossa Senhora Auxiliadora do Perpétuo Socorro',
    city: 'São José do Vale do Rio Preto',
  };
  const name = 'Maria Aparecida dos Santos Conceição';
  const orderId = await order(
    feira,
    store.workspaceId,
    { productId, variantId: null, quantity: 1 },
    { buyer: { name, address } },
  );
  const { labelUrl, code } = (await store.post('/shipments', { orderId })).body;
  const { rawPayload } = await feira.app.inject(labelUrl.replace('http://feira.test', ''));
  const texts = textsOf(rawPayload);
  const read = texts.map(({ text }) => text).join(' ');
  for (const part of [
    name,
    '#1001',
    '12345 bloco C apartamento 1203',
    'Perpétuo Socorro',
    'CEP 01001000',
    code,
  ])
    expect(read).toContain(part);
  // There are 248 points between the margins, and a Helvetica character is on average about half the font size wide.
  for (const { size, text } of texts) expect(text.length * size * 0.5).toBeLessThan(248);
});

test('text is escaped for PDF, line breaks become spaces, and characters outside Latin-1 become question marks', () => {
  const pdf = labelPdf({
    code: 'SX473124829BR',
    carrier: 'A (b) \\ c',
    storeName: 'Loja 🙂 ‘x’',
    orderNumber: 1,
    recipient: '',
    addressLines: ['Rua\nX, 1'],
    invoices: [],
  });
  const texts = textsOf(pdf).map(({ text }) => text);
  expect(texts).toContain('A \\(b\\) \\\\ c');
  expect(texts).toContain('#1 · Loja ? ?x?');
  expect(texts).toContain('Rua X, 1');
  const body = pdf.toString('latin1');
  const table = Number(/startxref\n(\d+)/.exec(body)![1]);
  expect(body.slice(table, table + 4)).toBe('xref');
});

test('the barcode on a label decodes to the shipment code', async () => {
  const store = await feira.store();
  const productId = await newProduct(store, { quantity: 1 });
  const orderId = await order(feira, store.workspaceId, { productId, variantId: null, quantity: 1 });
  const { labelUrl, code } = (await store.post('/shipments', { orderId })).body;
  const { rawPayload } = await feira.app.inject(labelUrl.replace('http://feira.test', ''));
  expect(readBarcode(rawPayload)).toBe(code);
});

test('a label shows the access keys of two invoices and the number of further invoices', async () => {
  const store = await feira.store();
  const productId = await newProduct(store, { quantity: 1 });
  const orderId = await order(feira, store.workspaceId, { productId, variantId: null, quantity: 1 });
  const { labelUrl } = (await store.post('/shipments', { orderId })).body;
  const texts = async () =>
    textsOf((await feira.app.inject(labelUrl.replace('http://feira.test', ''))).rawPayload);
  const key = '3526050X0J92JY000196570010000006041448679011';
  await store.post(`/orders/${orderId}/invoices`, { type: 'nfe', key });
  const line = 'NF-e 3526 050X 0J92 JY00 0196 5700 1000 0006 0414 4867 9011';
  expect((await texts()).map(({ text }) => text)).toContain(line);
  for (const other of [
    '35260112345678000195550010000006041448679017',
    '35260112345678000195550010000000011000000012',
    '3526010X0J92JY000196550010000000011000000015',
  ])
    await store.post(`/orders/${orderId}/invoices`, { type: 'dce', key: other });
  const all = await texts();
  const read = all.map(({ text }) => text).join('\n');
  expect(read).toContain('DC-e 3526 0112');
  expect(read).toContain('+ 2 documentos fiscais');
  for (const { size, text } of all) expect(text.length * size * 0.5).toBeLessThan(248);
});
