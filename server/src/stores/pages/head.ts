import { assetUrl } from '../../platform/html/assets.js';
import { html, verbatim } from '../../platform/html/html-template.js';
import type { Language } from '../../platform/html/language.js';
import { accentUrl } from '../accent.js';
import { shopStyles } from '../shop-styles.js';

/** The metadata of a page for search engines and link previews. */
export interface PageDescription {
  description?: string | undefined;
  /** The full address under which search engines should index the page. */
  canonical?: string | undefined;
  image?: string | undefined;
  /** Structured data (schema.org). */
  data?: object | undefined;
  /** Set for pages that search engines must not index, such as carts, orders and search results. */
  hidden?: boolean;
}

export function Head(props: {
  title: string;
  language: Language;
  accentColor?: string | null;
  about?: PageDescription | undefined;
}) {
  const { title, language, accentColor, about = { hidden: true } } = props;
  const { description, canonical, image, data, hidden } = about;
  return html`
    <head>
      <meta charset="utf-8"/>
      <meta name="viewport" content="width=device-width, initial-scale=1"/>
      <title>${title}</title>
      ${description && html`<meta name="description" content="${description}"/>`}
      ${hidden && html`<meta name="robots" content="noindex"/>`}
      ${canonical && html`<link rel="canonical" href="${canonical}"/>`}
      ${canonical && openGraph({ title, description, canonical, language, isProduct: data !== undefined })}
      ${image && html`<meta property="og:image" content="${image}"/>`}
      <link rel="icon" href="/favicon.ico" type="image/svg+xml"/>
      <link rel="stylesheet" href="${shopStyles().url}"/>
      ${accentColor && html`<link rel="stylesheet" href="${accentUrl(accentColor)}"/>`}
      <script src="${assetUrl('shop.js')}" defer></script>
      ${data && structuredData(data)}
    </head>`;
}

function openGraph(page: {
  title: string;
  description: string | undefined;
  canonical: string;
  language: Language;
  isProduct: boolean;
}) {
  const { title, description, canonical, language, isProduct } = page;
  return html`
    <meta property="og:url" content="${canonical}"/>
    <meta property="og:title" content="${title}"/>
    ${description && html`<meta property="og:description" content="${description}"/>`}
    <meta property="og:locale" content="${language === 'pt' ? 'pt_BR' : 'en_US'}"/>
    <meta property="og:type" content="${isProduct ? 'product' : 'website'}"/>`;
}

/** HTML escapes have no effect in a script element. Without "<", nothing in the JSON can end the element. */
function structuredData(data: object) {
  const json = JSON.stringify(data).replaceAll('<', '\\u003c');
  return verbatim(`<script type="application/ld+json">${json}</script>`);
}
