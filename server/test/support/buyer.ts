import { expect } from 'vitest';
import { type Shop, shopOfStore } from '../../src/stores/queries.js';
import type { Feira, StoreClient } from './feira.js';
import { formOf, Merchant, type Page } from './merchant.js';

/** Valid input for the checkout form. */
export const TYPED = {
  name: 'Bia Souza',
  email: 'bia@cliente.example',
  phone: '(11) 99999-0000',
  document: '529.982.247-25',
  zip: '01001-000',
  street: 'Rua das Flores',
  number: '120',
  complement: '',
  district: 'Centro',
  city: 'São Paulo',
  state: 'SP',
  delivery: 'economy',
  payment: 'pix',
  installments: '1',
};

export async function shopOf(feira: Feira, store: StoreClient): Promise<Shop> {
  return (await shopOfStore(feira.context.db.store(store.workspaceId), store.workspaceId)) as Shop;
}

/** Opens a new store and returns it with a visitor of its shop. */
export async function openShop(feira: Feira): Promise<{ store: StoreClient; visitor: Visitor }> {
  const store = await feira.store();
  return { store, visitor: new Visitor(feira, await shopOf(feira, store)) };
}

/** A buyer's browser in a shop. It follows no redirects, except a 301 in `at` and a 303 in `settle`. */
export class Visitor extends Merchant {
  constructor(
    feira: Feira,
    readonly shop: Shop,
    headers: Record<string, string> = {},
    remoteAddress?: string,
  ) {
    super(feira.app, { 'accept-language': 'en', ...headers }, remoteAddress);
  }

  at(path = ''): Promise<Page> {
    return this.getMoved(`/s/${this.shop.slug}${path}`);
  }

  async add(productId: string, choice: { variantId?: string; quantity?: string } = {}): Promise<Page> {
    const page = await this.at(`/products/${productId}${choice.variantId ? `?v=${choice.variantId}` : ''}`);
    return this.press(page, 'Add to cart', { quantity: choice.quantity ?? '1' });
  }

  /** Opens the checkout page for the current cart. */
  checkout(zip = '01001000'): Promise<Page> {
    return this.at(`/checkout?zip=${zip}`);
  }

  /**
   * Places an order. `zip` is used to open the checkout form and is entered in it. `typed.zip` replaces it in the form.
   */
  async order(typed: Partial<typeof TYPED> = {}, zip = TYPED.zip): Promise<Page> {
    return this.press(await this.checkout(zip), 'Place order', { ...TYPED, zip, ...typed });
  }

  /** Orders one unit of a product and returns the path of the payment page. */
  async buy(productId: string, typed: Partial<typeof TYPED> = {}): Promise<string> {
    await this.add(productId);
    const page = await this.order(typed);
    expect(page.status, page.text).toBe(303);
    return localPath(page);
  }

  /** Pays or declines on the payment page with this path, and returns the order page. */
  async settle(payment: string, button: 'Pay' | 'Decline' = 'Pay'): Promise<Page> {
    return this.get(localPath(await this.press(await this.get(payment), button)));
  }
}

/** Returns the local path that a redirect leads to. */
export function localPath({ status, location, text }: Page): string {
  expect(status, text).toBe(303);
  const { pathname, search } = new URL(location as string, 'http://feira.test');
  return pathname + search;
}

export function hiddenFields(page: Page, label: string): Record<string, string> {
  return formOf(page, label).fields;
}
