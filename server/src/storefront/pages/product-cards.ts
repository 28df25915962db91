import { srcsetOf } from '../../media/responsive.js';
import { attribute, html } from '../../platform/html/html-template.js';
import type { Language } from '../../platform/html/language.js';
import { money } from '../../platform/html/money.js';

const TEXTS = {
  en: {
    was: 'was',
    now: 'now',
    from: 'from',
    in: 'In stock',
    last: (left: number) => (left === 1 ? 'Last one' : `Last ${left}`),
    out: 'Sold out',
    less: (percent: number) => `${percent}% off`,
  },
  pt: {
    was: 'de',
    now: 'por',
    from: 'a partir de',
    in: 'Em estoque',
    last: (left: number) => (left === 1 ? 'Última unidade' : `Últimas ${left} unidades`),
    out: 'Esgotado',
    less: (percent: number) => `${percent}% de desconto`,
  },
};

const FEW = 5;

/** The price to pay and, if it is reduced, the regular price struck through. */
export function Price(props: { price: number; listPrice: number; from?: boolean; language: Language }) {
  const { price, listPrice, from, language } = props;
  const texts = TEXTS[language];
  const before =
    price < listPrice &&
    html`
      <span class="visually-hidden">${texts.was} </span>
      <s>${money(listPrice, language)}</s>
      <span class="visually-hidden"> ${texts.now}</span> `;
  return html`
    <p class="price">
      ${before}
      ${from && html`<small>${texts.from} </small>`}
      <strong>${money(price, language)}</strong>
    </p>`;
}

export function Stock({ left, language }: { left: number; language: Language }) {
  const texts = TEXTS[language];
  if (left <= 0) return html`<p class="stock out">${texts.out}</p>`;
  if (left <= FEW) return html`<p class="stock few">${texts.last(left)}</p>`;
  return html`<p class="stock">${texts.in}</p>`;
}

/** The discount in percent, as a badge. */
export function SaleBadge({
  price,
  listPrice,
  language,
}: {
  price: number;
  listPrice: number;
  language: Language;
}) {
  const percent = Math.round((1 - price / listPrice) * 100);
  if (!(price < listPrice) || percent < 1) return null;
  return html`
    <span class="sale">
      <span aria-hidden="true">−${percent}%</span>
      <span class="visually-hidden">${TEXTS[language].less(percent)}</span>
    </span>`;
}

/**
 * A picture in a square, never cropped. If this server resizes the images that it stores (`resizedFrom` is their base
 * URL), the browser loads them, except GIFs, in the width that the page needs (`sizes`). If there is no image, the
 * first letter or digit of the name is shown.
 */
export function Picture(props: {
  url: string | null | undefined;
  name: string;
  alt?: string;
  eager?: boolean;
  sizes: string;
  resizedFrom: string | undefined;
}) {
  const { url, name, alt = '', eager, sizes, resizedFrom } = props;
  if (!url) {
    const letter = name.match(/\p{L}|\p{N}/u)?.[0]?.toUpperCase() ?? '·';
    return html`<span class="picture blank" aria-hidden="true">${letter}</span>`;
  }
  const srcset = srcsetOf(url, resizedFrom);
  return html`
    <span class="picture">
      <img src="${url}"${attribute('srcset', srcset)}${attribute('sizes', srcset && sizes)}${attribute('alt', alt)}
        width="640" height="640" loading="${eager ? 'eager' : 'lazy'}" decoding="async"/>
    </span>`;
}
