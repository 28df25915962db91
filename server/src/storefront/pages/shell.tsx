import type { ComponentChildren } from 'preact';
import type { Language } from '../../platform/html/language.js';
import type { PageDescription } from '../../stores/pages/head.js';
import { ShopFrame } from '../../stores/pages/shop-frame.js';
import type { Shop } from '../../stores/queries.js';

/** The context of a page view. */
export interface Visit {
  shop: Shop;
  /** Set on a public server whose payments are simulated. Buyers must be informed of it. */
  isTestShop: boolean;
  language: Language;
  /** The number of units in the cart. */
  units: number;
  /** The address of images that are available in several widths, if there are any. */
  resizedFrom: string | undefined;
  /** The path and query of the page. */
  address: string;
  /** The page of an order of this browser that is not paid yet. */
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

/** A page of a shop: its frame with the search and the cart. */
export function ShopPage(props: {
  visit: Visit;
  title: string;
  search?: string;
  about?: PageDescription;
  /** The checkout shows no search, which would lead away from it. */
  plain?: boolean;
  children: ComponentChildren;
}) {
  const { visit, title, search = '', about, plain, children } = props;
  const { shop, language, address, isTestShop } = visit;
  const texts = TEXTS[language];
  const header = (
    <>
      {!plain && (
        <search>
          <form action={`/s/${shop.slug}`}>
            <input
              type="search"
              name="q"
              value={search}
              aria-label={texts.search}
              placeholder={texts.search}
            />
            <button type="submit">{texts.find}</button>
          </form>
        </search>
      )}
      <CartLink visit={visit} />
    </>
  );
  const notice = isTestShop ? texts.testShop : undefined;
  return <ShopFrame {...{ shop, language, title, address, about, notice, header }}>{children}</ShopFrame>;
}

/** The script replaces the count of a page that the browser shows again after Back. */
function CartLink({ visit: { shop, language, units } }: { visit: Visit }) {
  const { cart, one, many } = TEXTS[language];
  return (
    <a class="cart" href={`/s/${shop.slug}/cart`}>
      {cart}
      <span class={units > 0 ? 'count' : 'count none'} data-one={one} data-many={many}>
        <span aria-hidden="true">{units}</span>
        <span class="visually-hidden">
          {' '}
          ({units} {units === 1 ? one : many})
        </span>
      </span>
    </a>
  );
}
