import type { Fields } from '../platform/http/forms.js';
import { MAX_MONEY } from '../platform/schema/money.js';

const MAX_SEARCH_LENGTH = 100;
const CATEGORY = /^[1-9]\d{0,8}$/;
const PAGE = /^[1-9]\d{0,4}$/;

export const SHOP_SORTS = ['newest', 'price', '-price', 'name'] as const;
export type ShopSort = (typeof SHOP_SORTS)[number];

/** Which products of a shop are listed, and in which order. All of this is in the address of the page. */
export interface ProductListRequest {
  search: string;
  category: number | undefined;
  page: number;
  sort: ShopSort;
  inStock: boolean;
  /** The lowest and the highest price in reais. */
  min: number | undefined;
  max: number | undefined;
}

/**
 * Invalid values are ignored, because people may edit the address. The exception is an invalid category: it becomes 0,
 * which is the id of no category, so the response is a 404.
 */
export function readProductListRequest(query: Fields): ProductListRequest {
  const [category, page] = [query.text('category'), query.text('page')];
  const [min, max] = [amountOf(query.text('min')), amountOf(query.text('max'))];
  const isReversed = min !== undefined && max !== undefined && min > max;
  return {
    // NUL is removed, because PostgreSQL rejects text that contains it and the query would fail.
    search: query.text('q').replaceAll('\0', '').trim().slice(0, MAX_SEARCH_LENGTH).toWellFormed(),
    category: category === '' ? undefined : CATEGORY.test(category) ? Number(category) : 0,
    page: PAGE.test(page) ? Number(page) : 1,
    sort: SHOP_SORTS.find((sort) => sort === query.text('sort')) ?? 'newest',
    inStock: query.text('stock') === 'in',
    min: isReversed ? max : min,
    max: isReversed ? min : max,
  };
}

/** The address of a product list. Defaults are left out, so that each list has one address. */
export function productListAddress(slug: string, request: Partial<ProductListRequest>): string {
  const { search, category, sort = 'newest', inStock, min, max, page = 1 } = request;
  const query = new URLSearchParams();
  if (search) query.set('q', search);
  if (category !== undefined) query.set('category', String(category));
  if (sort !== 'newest') query.set('sort', sort);
  if (inStock) query.set('stock', 'in');
  if (min !== undefined) query.set('min', String(min));
  if (max !== undefined) query.set('max', String(max));
  if (page > 1) query.set('page', String(page));
  return `/s/${slug}${query.size > 0 ? `?${query}` : ''}`;
}

/** Returns whether the list is restricted by anything other than search and category. */
export function isFiltered({ inStock, min, max }: ProductListRequest): boolean {
  return inStock || min !== undefined || max !== undefined;
}

/**
 * Parses "1.234,50", "1,234.50", "1234,5" and "1234". A separator followed by one or two final digits is the decimal
 * separator.
 */
function amountOf(text: string): number | undefined {
  const given = text.replace(/^\s*R\$/, '').trim();
  const [, reais = '', cents = '0'] = /^(\d[\d.,]{0,15}?)(?:[.,](\d{1,2}))?$/.exec(given) ?? [];
  if (reais === '') return undefined;
  return Math.min(Number(`${reais.replace(/[.,]/g, '')}.${cents}`), MAX_MONEY);
}
