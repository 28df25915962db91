import type { ComponentChildren } from 'preact';
import { attribute, html } from '../../platform/html/html-template.js';
import type { Language } from '../../platform/html/language.js';
import type { Shop } from '../queries.js';
import { Head, type PageDescription } from './head.js';

const TEXTS = {
  en: {
    notice: 'Notice',
    language: 'Language',
    skip: 'Skip to content',
    order: 'Find your order',
    by: 'Powered by Feira',
  },
  pt: {
    notice: 'Aviso',
    language: 'Idioma',
    skip: 'Ir para o conteúdo',
    order: 'Encontrar meu pedido',
    by: 'Loja criada com a Feira',
  },
};

/**
 * The layout of all pages of a shop, with its name and color. The payment page uses it too, so that buyers do not seem
 * to leave the shop.
 */
export function ShopFrame(props: {
  shop: Pick<Shop, 'slug' | 'name' | 'accentColor'>;
  language: Language;
  title: string;
  /** The path and query of the page. The language links add a `lang` parameter to them. */
  address: string;
  about?: PageDescription | undefined;
  /** Shown above the header, for example in a test shop. */
  notice?: string | undefined;
  /** What the header contains besides the name. */
  header?: ComponentChildren;
  children: ComponentChildren;
}) {
  const { shop, language, title, address, about, notice, header, children } = props;
  const texts = TEXTS[language];
  const home = `/s/${shop.slug}`;
  return html`
    <html lang="${language === 'pt' ? 'pt-BR' : 'en'}">
      ${Head({
        title: title === shop.name ? title : `${title} · ${shop.name}`,
        language,
        accentColor: shop.accentColor,
        about,
      })}
      <body>
        <a class="skip" href="#content">${texts.skip}</a>
        ${notice && html`<aside class="test-shop" aria-label="${texts.notice}">${notice}</aside>`}
        <header class="top">
          <div class="inside">
            <a class="shop" href="${home}">${shop.name}</a>
            ${header}
          </div>
        </header>
        <main id="content">${children}</main>
        <footer>
          <p>${shop.name}</p>
          <p><a href="${home}/orders">${texts.order}</a></p>
          ${languages(language, address)}
          <p>${texts.by}</p>
        </footer>
      </body>
    </html>`;
}

const LANGUAGES: [Language, label: string, tag: string][] = [
  ['pt', 'Português', 'pt-BR'],
  ['en', 'English', 'en'],
];

function languages(current: Language, address: string) {
  const prefix = `${address}${address.includes('?') ? '&' : '?'}lang=`;
  const links = LANGUAGES.map(
    ([code, label, tag]) => html`
      <li>
        <a href="${prefix}${code}" lang="${tag}" hreflang="${tag}"${attribute('aria-current', code === current ? 'true' : undefined)}>${label}</a>
      </li>`,
  );
  return html`<nav aria-label="${TEXTS[current].language}"><ul class="languages">${links}</ul></nav>`;
}
