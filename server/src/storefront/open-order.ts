import type {} from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isId } from '../platform/schema/ids.js';
import type { Shop } from '../stores/queries.js';

const COOKIE = 'feira_open_order';
/** A boleto can be paid for a few days. */
const LIFETIME_SECONDS = 7 * 24 * 60 * 60;

export interface OpenOrder {
  id: string;
  key: string;
}

/**
 * Remembers the last unpaid order of this browser, so that the buyer finds it again after pressing Back on the payment
 * page, where the cart is already empty. The key is that of the order's link and is verified like it.
 */
export function keepOpenOrder(
  reply: FastifyReply,
  { slug }: Shop,
  order: OpenOrder | undefined,
  secure: boolean,
): void {
  const attributes = { path: `/s/${slug}`, httpOnly: true, sameSite: 'lax', secure } as const;
  if (!order) return void reply.clearCookie(COOKIE, attributes);
  reply.setCookie(COOKIE, `${order.id}.${order.key}`, { ...attributes, maxAge: LIFETIME_SECONDS });
}

/** The address of that order's page. */
export function openOrderOf(request: FastifyRequest): string | undefined {
  const [id = '', key = ''] = (request.cookies[COOKIE] ?? '').split('.', 2);
  if (!isId(id) || !/^[\w-]{10,200}$/.test(key)) return undefined;
  return `/s/${request.shop.slug}/orders/${id}?key=${key}`;
}
