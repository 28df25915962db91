import type { FastifyInstance, InjectOptions } from 'fastify';
import { localPath, TYPED } from '../buyer.js';
import { formOf, Merchant, type Page } from '../merchant.js';
import { FailedAnswer } from './failed-calls.js';
import { CALL_MS } from './stores.js';

let buyers = 0;

/** A browser in a shop. It sends each request to one of several real server processes. */
export class HttpBuyer {
  private readonly browser: Merchant;

  constructor(
    pickServer: () => string,
    private readonly slug: string,
  ) {
    // Every buyer has a different IP address, because the number of orders per IP address is limited.
    const number = ++buyers;
    const address = `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
    // The buttons are found by their English labels. Without Accept-Language, shops are in Portuguese.
    const headers = { 'accept-language': 'en', 'x-forwarded-for': address };
    this.browser = new Merchant(overHttp(pickServer), headers);
  }

  /** Opens the checkout form for one unit of a product. Returns undefined if it is sold out. */
  async openCheckout(productId: string): Promise<Page | undefined> {
    const product = await this.browser.getMoved(`/s/${this.slug}/products/${productId}`);
    if (!product.forms.some(({ buttons }) => 'Add to cart' in buttons)) return undefined;
    await this.browser.press(product, 'Add to cart', { quantity: '1' });
    const form = await this.browser.get(`/s/${this.slug}/checkout?zip=${TYPED.zip}`);
    return form.forms.some(({ buttons }) => 'Place order' in buttons) ? form : undefined;
  }

  placeOrder(form: Page): Promise<Page> {
    return this.browser.press(form, 'Place order', TYPED);
  }

  openPayment(placed: Page): Promise<Page> {
    return this.browser.get(localPath(placed));
  }

  /** Pays and returns the order id. If the response is lost, it is safe to call this again with the same page. */
  async pay(payment: Page): Promise<string> {
    const done = await this.browser.press(payment, 'Pay');
    return new URL(done.location!, 'http://feira.test').pathname.split('/').at(-1)!;
  }
}

export function checkoutIdOf(form: Page): string {
  return formOf(form, 'Place order').fields.checkout!;
}

/** Returns an object with only `inject`, because Merchant calls no other method. It sends each request over HTTP. */
function overHttp(pickServer: () => string): FastifyInstance {
  const inject = async ({ method, url, headers, payload }: InjectOptions) => {
    const response = await fetch(`${pickServer()}${url}`, {
      method: method!,
      headers: headers as Record<string, string>,
      ...(payload !== undefined && { body: payload as string }),
      redirect: 'manual',
      signal: AbortSignal.timeout(CALL_MS),
    });
    if (response.status >= 500) throw new FailedAnswer(response.status, response.headers.get('retry-after'));
    return {
      statusCode: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
      cookies: response.headers.getSetCookie().map(parseCookie),
    };
  };
  return { inject } as unknown as FastifyInstance;
}

function parseCookie(text: string): { name: string; value: string; maxAge?: number } {
  const [pair = '', ...attributes] = text.split(';');
  const [name = '', ...value] = pair.split('=');
  const maxAge = attributes.map((each) => /^\s*max-age=(-?\d+)/i.exec(each)?.[1]).find(Boolean);
  return { name, value: value.join('='), ...(maxAge !== undefined && { maxAge: Number(maxAge) }) };
}
