import type { ComponentChildren } from 'preact';
import type { Language } from '../../platform/html/language.js';
import type { Shop } from '../../stores/queries.js';
import { Head, type PageDescription } from './head.js';

/** The context of a page view. */
export interface Visit {
  shop: Shop;
  /** Payments are simulated at a public address, and buyers must be informed. */
  isTestShop: boolean;
  language: Language;
  /** The number of units in the cart. */
  units: number;
  /** The address of images that are available in several widths, if there are any. */
  resizedFrom: string | undefined;
  /** The path of the page. */
  address: string;
  /** The page of an order of this browser that is not paid yet. */
  openOrder: string | undefined;
}

const TEXTS = {
  en: {
    search: 'Search this shop',
    find: 'Search',
    cart: 'Cart',
    units: (count: number) => (count === 1 ? '1 item' : `${count} items`),
    language: 'Language',
    skip: 'Skip to content',
    order: 'Find your order',
    by: 'Powered by Feira',
    testShop: 'Test shop: payments are simulated',
  },
  pt: {
    search: 'Buscar nesta loja',
    find: 'Buscar',
    cart: 'Carrinho',
    units: (count: number) => (count === 1 ? '1 item' : `${count} itens`),
    language: 'Idioma',
    skip: 'Ir para o conteúdo',
    order: 'Encontrar meu pedido',
    by: 'Loja criada com a Feira',
    testShop: 'Loja de teste: os pagamentos são simulados',
  },
};

/** The frame of every page of a shop. */
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
  const { shop, language, units, isTestShop } = visit;
  const texts = TEXTS[language];
  const home = `/s/${shop.slug}`;
  return (
    <html lang={language === 'pt' ? 'pt-BR' : 'en'}>
      <Head
        title={title === shop.name ? title : `${title} · ${shop.name}`}
        language={language}
        about={about}
      />
      <body>
        <a class="skip" href="#content">
          {texts.skip}
        </a>
        {isTestShop && <p class="test-shop">{texts.testShop}</p>}
        <header class="top">
          <div class="inside">
            <a class="shop" href={home}>
              {shop.name}
            </a>
            {!plain && (
              <search>
                <form action={home}>
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
            <a class="cart" href={`${home}/cart`}>
              {texts.cart}
              <span class={units > 0 ? 'count' : 'count none'}>
                <span aria-hidden="true">{units}</span>
                <span class="visually-hidden"> ({texts.units(units)})</span>
              </span>
            </a>
          </div>
        </header>
        <main id="content">{children}</main>
        <footer>
          <p>{shop.name}</p>
          <p>
            <a href={`${home}/orders`}>{texts.order}</a>
          </p>
          <Languages visit={visit} />
          <p>{texts.by}</p>
        </footer>
      </body>
    </html>
  );
}

const LANGUAGES: [Language, label: string, tag: string][] = [
  ['pt', 'Português', 'pt-BR'],
  ['en', 'English', 'en'],
];

function Languages({ visit: { language, address } }: { visit: Visit }) {
  return (
    <nav aria-label={TEXTS[language].language}>
      <ul class="languages">
        {LANGUAGES.map(([code, label, tag]) => (
          <li key={code}>
            <a
              href={`${address}?lang=${code}`}
              lang={tag}
              hreflang={tag}
              aria-current={code === language ? 'true' : undefined}
            >
              {label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
