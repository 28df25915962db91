import type {} from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isId } from '../platform/schema/ids.js';
import type { Shop } from '../stores/queries.js';

const COOKIE = 'feira_open_order';
/** Long enough for a boleto, which remains payable for several days. */
const LIFETIME_SECONDS = 7 * 24 * 60 * 60;

export interface OpenOrder {
  id: string;
  key: string;
}

/**
 * Stores the last unpaid order of this browser in a cookie. A buyer who presses Back on the payment page finds an empty
 * cart with a link to the order. The cookie contains the id of the order and the key of that link. The key is verified
 * when the link is opened.
 */
export function rememberOpenOrder(reply: FastifyReply, shop: Shop, order: OpenOrder, secure: boolean): void {
  const attributes = { ...attributesOf(shop, secure), maxAge: LIFETIME_SECONDS };
  reply.setCookie(COOKIE, `${order.id}.${order.key}`, attributes);
}

/** Deletes the cookie if it contains this order. */
export function forgetOpenOrder(
  request: FastifyRequest,
  reply: FastifyReply,
  orderId: string,
  secure: boolean,
): void {
  if (request.cookies[COOKIE]?.startsWith(`${orderId}.`))
    reply.clearCookie(COOKIE, attributesOf(request.shop, secure));
}

/** Returns the address of the page of the remembered order, or undefined if the cookie is missing or malformed. */
export function openOrderOf(request: FastifyRequest): string | undefined {
  const [id = '', key = ''] = (request.cookies[COOKIE] ?? '').split('.', 2);
  if (!isId(id) || !/^[\w-]{10,200}$/.test(key)) return undefined;
  return `/s/${request.shop.slug}/orders/${id}?key=${key}`;
}

function attributesOf({ slug }: Shop, secure: boolean) {
  return { path: `/s/${slug}`, httpOnly: true, sameSite: 'lax', secure } as const;
}
