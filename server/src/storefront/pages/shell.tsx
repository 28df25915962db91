import type { ComponentChildren } from 'preact';
import type { Language } from '../../platform/html/language.js';
import type { Shop } from '../../stores/queries.js';

/** The context of a page view. */
export interface Visit {
  shop: Shop;
  /** Payments are simulated at a public address, and buyers must be informed. */
  isTestShop: boolean;
  language: Language;
  /** The number of units in the cart. */
  units: number;
}

const TEXTS = {
  en: {
    search: 'Search this shop',
    find: 'Search',
    cart: 'Cart',
    skip: 'Skip to content',
    by: 'Powered by Feira',
    testShop: 'Test shop: payments are simulated',
  },
  pt: {
    search: 'Buscar nesta loja',
    find: 'Buscar',
    cart: 'Carrinho',
    skip: 'Ir para o conteúdo',
    by: 'Loja criada com a Feira',
    testShop: 'Loja de teste: os pagamentos são simulados',
  },
};

/** The frame of every page of a shop. */
export function ShopPage(props: {
  visit: Visit;
  title: string;
  search?: string;
  children: ComponentChildren;
}) {
  const { visit, title, search = '', children } = props;
  const { shop, language, units, isTestShop } = visit;
  const texts = TEXTS[language];
  const home = `/s/${shop.slug}`;
  return (
    <html lang={language === 'pt' ? 'pt-BR' : 'en'}>
      <Head title={title === shop.name ? title : `${title} · ${shop.name}`} />
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
            <a class="cart" href={`${home}/cart`}>
              {texts.cart}
              {units > 0 && <span class="count">{units}</span>}
            </a>
          </div>
        </header>
        <main id="content">{children}</main>
        <footer>
          <p>{shop.name}</p>
          <p>{texts.by}</p>
        </footer>
      </body>
    </html>
  );
}

export function Head({ title }: { title: string }) {
  return (
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>{title}</title>
      <link rel="icon" href="/favicon.ico" type="image/svg+xml" />
      <link rel="stylesheet" href="/assets/shop.css" />
    </head>
  );
}
