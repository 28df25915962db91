import type { ComponentChildren } from 'preact';
import { attribute, html } from '../../platform/html/html-template.js';
import type { Language } from '../../platform/html/language.js';
import type { PageDescription } from '../../stores/pages/head.js';
import { ShopFrame } from '../../stores/pages/shop-frame.js';
import type { Shop } from '../../stores/queries.js';

/** What every page of a shop needs to know about the visitor and the request. */
export interface Visit {
  shop: Shop;
  /** Whether the server is public but its payments are simulated. Every page then shows a notice. */
  isTestShop: boolean;
  language: Language;
  /** The number of units in the cart. */
  units: number;
  /** The base address of images that are available in several widths, if this server resizes images. */
  resizedFrom: string | undefined;
  /** The path and query of the page. */
  address: string;
  /** The address of the last pending order that was placed or opened in this browser. */
  openOrder: string | undefined;
}

const TEXTS = {
  en: {
    search: 'Search this shop',
    find: 'Search',
    cart: 'Cart',
    one: 'item',
    many: 'items',
    testShop: 'Test shop: payments are simulated',
  },
  pt: {
    search: 'Buscar nesta loja',
    find: 'Buscar',
    cart: 'Carrinho',
    one: 'item',
    many: 'itens',
    testShop: 'Loja de teste: os pagamentos são simulados',
  },
};

/** The layout of a shop page, with the search field and the link to the cart. */
export function ShopPage(props: {
  visit: Visit;
  title: string;
  search?: string;
  about?: PageDescription;
  /** Set in the checkout, which shows no search, so that buyers are not distracted. */
  plain?: boolean;
  children: ComponentChildren;
}) {
  const { visit, title, search = '', about, plain, children } = props;
  const { shop, language, address, isTestShop } = visit;
  const header = html`${!plain && searchForm(shop.slug, language, search)}${cartLink(visit)}`;
  const notice = isTestShop ? TEXTS[language].testShop : undefined;
  return ShopFrame({ shop, language, title, address, about, notice, header, children });
}

function searchForm(slug: string, language: Language, search: string) {
  const { search: label, find } = TEXTS[language];
  return html`
    <search>
      <form action="/s/${slug}">
        <input type="search" name="q"${attribute('value', search)}
          aria-label="${label}" placeholder="${label}"/>
        <button type="submit">${find}</button>
      </form>
    </search>`;
}

/** The script shop.js updates the number of units when the browser shows a stored page again after Back. */
function cartLink({ shop, language, units }: Visit) {
  const { cart, one, many } = TEXTS[language];
  return html`
    <a class="cart" href="/s/${shop.slug}/cart">
      ${cart}
      <span class="${units > 0 ? 'count' : 'count none'}" data-one="${one}" data-many="${many}">
        <span aria-hidden="true">${units}</span>
        <span class="visually-hidden"> (${units} ${units === 1 ? one : many})</span>
      </span>
    </a>`;
}
