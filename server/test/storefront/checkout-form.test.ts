import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openShop, TYPED, Visitor } from '../support/buyer.js';
import { newProduct } from '../support/catalog.js';
import type { Feira, StoreClient } from '../support/feira.js';
import { sharedFeira } from '../support/shared-feira.js';

let feira: Feira;
let store: StoreClient;
let visitor: Visitor;
let mug: string;

beforeAll(async () => {
  feira = await sharedFeira();
});
beforeEach(async () => {
  ({ store, visitor } = await openShop(feira));
  mug = await newProduct(store, { name: 'Mug', price: 34.9, quantity: 10, sku: 'MUG', weight: 0.5 });
});

const orders = async () => (await store.get('/orders')).body.data;

describe('the errors of a form', () => {
  test('are counted and shown beside their fields, with the input kept', async () => {
    await visitor.add(mug);
    const page = await visitor.order({
      name: '',
      email: 'bia at home',
      phone: '123',
      document: '529.982.247-26',
      zip: '0100',
      street: 'x'.repeat(161),
      number: ' ',
      district: 'a\0b',
      city: 'São Paulo',
      state: 'XX',
      payment: 'gold',
      installments: '13',
      delivery: 'teleport',
    });
    expect(page.status).toBe(422);
    expect(page.text).toContain('Check 12 fields.');
    for (const name of ['name', 'email', 'phone', 'document', 'zip', 'street', 'number', 'district', 'state'])
      expect(page.html, name).toContain(`id="${name}-fault"`);
    expect(page.html).not.toContain('id="city-fault"');
    expect(page.html).toContain('value="bia at home"');
    expect(page.html).toContain('value="São Paulo"');
    expect(page.html.match(/aria-invalid="true"/g)).toHaveLength(9);
    expect(await orders()).toEqual([]);
  });

  test('say that a CPF or CNPJ is invalid', async () => {
    await visitor.add(mug);
    for (const document of ['111.111.111-11', '00000000000', '11222333000182', '12ABC34501DE36', 'x'])
      expect((await visitor.order({ document })).text, document).toContain('Invalid CPF or CNPJ');
  });

  test('say beside the CEP that it does not exist or is not in the selected state', async () => {
    await visitor.add(mug);
    const faulty = async (visit: Visitor, button: string, zip: string, state: string) => {
      const page = await visit.press(await visit.checkout(), button, { ...TYPED, zip, state });
      expect(page.status).toBe(422);
      return /<small id="zip-fault"[^>]*>([^<]*)/.exec(page.html)?.[1];
    };
    for (const zip of ['00000-000', '00999-999', '78900-000'])
      expect(await faulty(visitor, 'Place order', zip, 'SP')).toBe(
        'This CEP does not exist. Check the digits.',
      );
    for (const [zip, state] of [
      ['01001-000', 'AC'],
      ['20000-000', 'SP'],
      ['69300-000', 'AM'],
      ['72800-000', 'DF'],
    ] as const)
      expect(await faulty(visitor, 'Place order', zip, state)).toBe('This CEP is not in the selected state.');
    const bia = new Visitor(feira, visitor.shop, { 'accept-language': 'pt-BR' });
    await bia.press(await bia.at(`/products/${mug}`), 'Adicionar ao carrinho');
    expect(await faulty(bia, 'Fazer pedido', '00000-000', 'SP')).toBe(
      'CEP não encontrado. Confira os números.',
    );
    expect(await faulty(bia, 'Fazer pedido', '01001-000', 'AC')).toBe(
      'Este CEP não pertence ao estado selecionado.',
    );
    expect(await orders()).toEqual([]);
    const asked = await visitor.at('/checkout?zip=00000000');
    expect([asked.status, asked.text]).toEqual([422, expect.stringContaining('This CEP does not exist')]);
  });

  test('are in Portuguese for browsers that prefer it', async () => {
    const bia = new Visitor(feira, visitor.shop, { 'accept-language': 'pt-BR' });
    await bia.press(await bia.at(`/products/${mug}`), 'Adicionar ao carrinho');
    const page = await bia.press(await bia.checkout(), 'Fazer pedido', { ...TYPED, name: '', zip: '1' });
    expect(page.text).toContain('Confira 2 campos.');
    expect(page.text).toContain('Preencha este campo.');
    expect(page.text).toContain('Informe um CEP com 8 dígitos.');
  });
});

test('the form contains the address of the given CEP and nothing that another buyer has entered', async () => {
  const portuguese = new Visitor(feira, visitor.shop, { 'accept-language': 'pt-BR' });
  await visitor.add(mug);
  await portuguese.press(await portuguese.at(`/products/${mug}`), 'Adicionar ao carrinho');
  const formOf = async (buyer: Visitor, zip: string) => (await buyer.at(`/checkout?zip=${zip}`)).html;

  const paulista = await formOf(visitor, '01001000');
  expect(paulista).toContain('value="São Paulo"');
  const carioca = await formOf(visitor, '20040002');
  expect(carioca).toContain('value="Rio de Janeiro"');
  expect(carioca).not.toContain('value="São Paulo"');

  const entered = await visitor.order({ name: 'Bia', street: 'Rua das Flores', document: '1' });
  expect(entered.html).toContain('value="Bia"');
  expect(entered.html).toContain('value="Rua das Flores"');
  const others = await formOf(portuguese, '01001000');
  expect(others).toContain('Complemento');
  expect(others).not.toContain('Bia');
  expect(others).not.toContain('Rua das Flores');
  expect(withoutTokens(await formOf(visitor, '01001000'))).toBe(withoutTokens(paulista));
});

/** Returns the page without the values of its hidden fields, which differ for each form. */
function withoutTokens(html: string): string {
  return html.replaceAll(/type="hidden"[^>]*/g, '');
}
