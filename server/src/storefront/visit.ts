import type { FastifyReply, FastifyRequest } from 'fastify';
import { checkedForm } from '../accounts/forms.js';
import type { Sessions } from '../accounts/sessions.js';
import type { CheckoutServices } from '../checkout/checkout.js';
import type { ListReads } from '../events/list-reads.js';
import type { PaymentGateway } from '../payments/gateway.js';
import type { Clock } from '../platform/clock.js';
import { buyerLanguageOf, withoutLanguage } from '../platform/html/buyer-language.js';
import type { PageCache } from '../platform/html/page-cache.js';
import type { Fields } from '../platform/http/forms.js';
import { cartOf, unitsIn } from './cart.js';
import type { CartReads } from './cart-reads.js';
import type { ItemReads } from './item-reads.js';
import { openOrderOf } from './open-order.js';
import type { Visit } from './pages/shell.js';
import type { VisitedShop } from './visited-shop.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route needs the version of the shop. */
    readsVersion?: boolean;
  }
  interface FastifyRequest {
    /** The shop of the requested address, set before the handler of every storefront route runs. */
    shop: VisitedShop;
    isTestShop: boolean;
    /** The base address of images that are available in several widths, or undefined if images are not resized. */
    resizedFrom: string | undefined;
  }
}

/** The dependencies shared by all shop pages. */
export interface Storefront extends Omit<CheckoutServices, 'gateway'> {
  /** If undefined, the shops do not accept orders. */
  gateway: PaymentGateway | undefined;
  /** Whether the server is public but its payments are simulated. */
  isTestShop: boolean;
  clock: Clock;
  sessions: Sessions;
  lists: ListReads;
  pages: PageCache;
  wake: { poke(): void };
  publicUrl: string;
  mediaUrl: string;
  resizesImages: boolean;
}

/** The dependencies of the pages that show products or carts. */
export interface ShopServices extends Storefront {
  items: ItemReads;
  carts: CartReads;
}

export function visitOf(request: FastifyRequest): Visit {
  return {
    shop: request.shop,
    isTestShop: request.isTestShop,
    resizedFrom: request.resizedFrom,
    language: buyerLanguageOf(request),
    address: withoutLanguage(request.url),
    units: unitsIn(cartOf(request)),
    openOrder: openOrderOf(request),
  };
}

export function isSecure({ publicUrl }: Storefront): boolean {
  return publicUrl.startsWith('https:');
}

/** Returns the CSRF token for the form of this shop's cart page. */
export function cartCsrfToken(sessions: Sessions, request: FastifyRequest, reply: FastifyReply): string {
  return sessions.csrfToken(request, reply, cartPurpose(request));
}

export function checkedCartForm(sessions: Sessions, request: FastifyRequest): Fields {
  return checkedForm(sessions, request, cartPurpose(request));
}

function cartPurpose({ shop }: FastifyRequest): string {
  return `cart\n${shop.workspaceId}`;
}
