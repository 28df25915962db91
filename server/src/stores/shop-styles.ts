import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { PUBLIC_FOLDER } from '../platform/html/assets.js';

/** The style sheets of all shop pages. Later ones override earlier ones. */
const FILES = [
  'tokens.css',
  'shop/base.css',
  'shop/frame.css',
  'shop/product-cards.css',
  'shop/list.css',
  'shop/product.css',
  'shop/cart.css',
  'shop/checkout.css',
  'shop/order.css',
];

export const SHOP_STYLES_PATH = '/assets/shop.css';

let styles: { css: string; url: string } | undefined;

/**
 * Returns the style sheets of all shop pages as one, because nine separate requests would delay the first page that a
 * buyer opens. The URL contains a hash of the content, so browsers may cache it forever.
 */
export function shopStyles(): { css: string; url: string } {
  if (styles === undefined) {
    const css = FILES.map((file) => readFileSync(`${PUBLIC_FOLDER}${file}`, 'utf8')).join('\n');
    styles = { css, url: `${SHOP_STYLES_PATH}?v=${hash('sha256', css, 'base64url').slice(0, 12)}` };
  }
  return styles;
}
