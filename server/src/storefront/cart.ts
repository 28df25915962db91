import type {} from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Line } from '../catalog/reserve.js';
import { isId } from '../platform/schema/ids.js';
import type { Shop } from '../stores/queries.js';

/** A cookie holds 4 KB. Thirty lines with two ids and a number take 2.3 KB. */
const MAX_LINES = 30;
export const CART_MAX_QUANTITY = 999;

const COOKIE = 'feira_cart';
/**
 * The number of units in the cart. A script reads it to correct the number that an outdated page shows when the
 * visitor goes back to it.
 */
const UNITS_COOKIE = 'feira_units';
const LIFETIME_SECONDS = 30 * 24 * 60 * 60;

/**
 * The cart is stored in a cookie whose path is that of the shop, so each shop has its own cart. It contains ids and
 * quantities but no prices, so it does not have to be signed: a visitor who modifies it just has a different cart.
 */
export function cartOf(request: FastifyRequest): Line[] {
  const lines: Line[] = [];
  for (const part of (request.cookies[COOKIE] ?? '').split('~', MAX_LINES)) {
    const [productId = '', variantId = '', amount = ''] = part.split('.');
    const quantity = quantityOf(amount);
    if (!isId(productId) || (variantId !== '' && !isId(variantId)) || quantity === undefined) continue;
    const line = { productId, variantId: variantId || null, quantity };
    if (!lines.some((other) => isSame(other, line))) lines.push(line);
  }
  return lines;
}

export function keepCart(reply: FastifyReply, { slug }: Shop, lines: Line[], secure: boolean): void {
  const readable = { path: `/s/${slug}`, sameSite: 'lax', secure } as const;
  const attributes = { ...readable, httpOnly: true };
  reply.setCookie(UNITS_COOKIE, String(unitsIn(lines)), { ...readable, maxAge: LIFETIME_SECONDS });
  if (lines.length === 0) return void reply.clearCookie(COOKIE, attributes);
  const value = lines
    .map(({ productId, variantId, quantity }) => [productId, variantId ?? '', quantity].join('.'))
    .join('~');
  reply.setCookie(COOKIE, value, { ...attributes, maxAge: LIFETIME_SECONDS });
}

/** Parses an integer from 1 to 999. Returns undefined for anything else. */
export function quantityOf(text: string): number | undefined {
  return /^[1-9]\d{0,2}$/.test(text) ? Number(text) : undefined;
}

/** Adds an item to the cart. Returns undefined if the cart would have too many lines, or too many units of the item. */
export function withAdded(lines: Line[], added: Line): Line[] | undefined {
  const known = lines.find((line) => isSame(line, added));
  if (!known) return lines.length < MAX_LINES ? [...lines, added] : undefined;
  const quantity = known.quantity + added.quantity;
  return quantity <= CART_MAX_QUANTITY ? withChanged(lines, { ...known, quantity }) : undefined;
}

function withChanged(lines: Line[], changed: Line): Line[] {
  return lines.map((line) => (isSame(line, changed) ? changed : line));
}

/** The name of a line in the HTML form of the cart page, and its key in the result of coversOf(). */
export function lineName({ productId, variantId }: Omit<Line, 'quantity'>): string {
  return `${productId}.${variantId ?? ''}`;
}

export function unitsIn(lines: Line[]): number {
  return lines.reduce((sum, { quantity }) => sum + quantity, 0);
}

function isSame(a: Omit<Line, 'quantity'>, b: Omit<Line, 'quantity'>): boolean {
  return a.productId === b.productId && a.variantId === b.variantId;
}
