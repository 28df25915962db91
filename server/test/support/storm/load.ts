import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../random.js';
import { describeFailure, FailedAnswer, KEY_IN_USE } from './failed-calls.js';
import { checkoutIdOf, HttpBuyer } from './http-buyer.js';
import { Ledger } from './ledger.js';
import { CALL_MS, type FleetStore } from './stores.js';
import type { StormTarget } from './target.js';

const WRITERS = 4;
const RETRY_MS = 50;
/** The reader pauses between calls, so that the writers get most of the CPU time. */
const READ_PAUSE_MS = 20;
/** How long a failed call is repeated. The lease of an idempotency key and a recovery of PostgreSQL are shorter. */
const LONGEST_MS = 180_000;
/** If this many image and refund calls are running in the background, a writer waits for one before it adds another. */
const MAX_OPEN = 12;

export interface LoadStore {
  store: FleetStore;
  /** The products that have a single writer each. */
  ownProducts: string[];
  /** The products that buyers order. */
  soldProducts: string[];
}

interface Answer {
  status: number;
  body: { id: string; code?: string };
}

/**
 * Writers that change one store in many ways, and a reader of that store. They record the responses, and repeat failed
 * requests if that is safe.
 */
export class Load {
  readonly ledger = new Ledger();
  private readonly open = new Set<Promise<void>>();
  private readonly paid: string[] = [];
  private quantity = 0;
  private isOver = false;

  constructor(
    private readonly servers: StormTarget,
    private readonly target: LoadStore,
    private readonly random: Random,
  ) {}

  async run(): Promise<void> {
    await Promise.all([...Array.from({ length: WRITERS }, (_, writer) => this.write(writer)), this.read()]);
    await Promise.all(this.open);
  }

  /** Ends the load: no further writes and reads are started, but those that are running are completed. */
  stop(): void {
    this.isOver = true;
  }

  private async write(writer: number): Promise<void> {
    while (!this.isOver) {
      const choice = this.random.below(10);
      if (choice < 3) await this.writeStock(writer, undefined);
      else if (choice < 5) await this.writeStock(writer, randomUUID());
      else if (choice < 6) await this.createProduct(undefined);
      else if (choice < 7) await this.createProduct(randomUUID());
      else if (choice < 8) await this.aside(() => this.attachImage(writer));
      else if (choice < 9) await this.checkOut();
      else await this.aside(() => this.refund());
    }
  }

  /** Reads products, orders, the feed and the shop in turn. */
  private async read(): Promise<void> {
    const { store, ownProducts } = this.target;
    const paths = [
      '/products?limit=20',
      `/products/${ownProducts[0]}`,
      '/orders?limit=20',
      '/events?limit=20',
    ];
    const addresses = [...paths.map((path) => `/api/v1${path}`), `/s/${store.slug}`];
    for (let turn = 0; !this.isOver; turn++) {
      const address = addresses[turn % addresses.length]!;
      const headers = { authorization: `Bearer ${store.token}` };
      const status = await this.untilAnswered('a read', async () => {
        const api = this.random.pick(this.servers.apis);
        const response = await fetch(api + address, { headers, signal: AbortSignal.timeout(CALL_MS) });
        await response.text();
        if (response.status >= 500)
          throw new FailedAnswer(response.status, response.headers.get('retry-after'));
        return response.status;
      });
      if (status === 200) this.ledger.reads++;
      else this.ledger.unexpected.push(`GET ${address} returned ${status}`);
      await delay(READ_PAUSE_MS);
    }
  }

  private async writeStock(writer: number, key: string | undefined): Promise<void> {
    const productId = this.target.ownProducts[writer]!;
    const quantity = ++this.quantity;
    const answer = await this.send('PATCH', `/products/${productId}/stock`, { quantity }, key);
    this.ledger.stock.push({ productId, quantity, outcome: outcomeOf(answer) });
  }

  private async createProduct(key: string | undefined): Promise<void> {
    const name = `Product ${randomUUID()}`;
    const answer = await this.send('POST', '/products', { name, price: 10 }, key);
    this.ledger.products.push({ name, id: answer?.body.id, outcome: outcomeOf(answer) });
  }

  /**
   * Attaches an image. Only the idempotency key prevents a repeated call from adding a second image with the same URL.
   */
  private async attachImage(writer: number): Promise<void> {
    const url = `https://images.example/${randomUUID()}.png`;
    const { products } = this.ledger;
    const productId = products.findLast(({ id }) => id)?.id ?? this.target.ownProducts[writer]!;
    const answer = await this.send('POST', `/products/${productId}/images`, { url }, randomUUID());
    this.ledger.images.push({ url, outcome: outcomeOf(answer) });
  }

  private async checkOut(): Promise<void> {
    const buyer = new HttpBuyer(() => this.random.pick(this.servers.apis), this.target.store.slug);
    const productId = this.random.pick(this.target.soldProducts);
    const form = await this.untilAnswered('a page of the shop', () => buyer.openCheckout(productId));
    if (!form) return;
    const placed = await this.untilAnswered('a checkout', () => buyer.placeOrder(form));
    const isPlaced = placed.status === 303 && placed.location?.includes('/sandbox/pay/') === true;
    const isSoldOut = placed.status === 409 || placed.location?.endsWith('/cart') === true;
    if (!isPlaced && !isSoldOut)
      this.ledger.unexpected.push(`the checkout returned ${placed.status}: ${placed.text}`);
    this.ledger.checkouts.push({ checkoutId: checkoutIdOf(form), outcome: isPlaced ? 'done' : 'refused' });
    if (!isPlaced || this.random.below(5) === 0) return;
    const payment = await this.untilAnswered('a payment page', () => buyer.openPayment(placed));
    if (payment.status !== 200) {
      this.ledger.unexpected.push(
        `the payment page of checkout ${checkoutIdOf(form)} returned ${payment.status}`,
      );
      return;
    }
    const orderId = await this.untilAnswered('a payment', () => buyer.pay(payment));
    this.ledger.payments.push({ orderId });
    this.paid.push(orderId);
  }

  /**
   * Refunds an order. Several writers may choose the same order at the same time, but it must be refunded only once.
   */
  private async refund(): Promise<void> {
    if (this.paid.length === 0) return;
    const orderId = this.random.pick(this.paid);
    const restock = this.random.below(2) === 0;
    const answer = await this.send('POST', `/orders/${orderId}/refund`, { restock }, randomUUID());
    this.ledger.refunds.push({ orderId, restock, outcome: outcomeOf(answer) });
  }

  /** Sends a call. Returns undefined if it failed and has no key with which it could be repeated. */
  private async send(
    method: string,
    path: string,
    body: object,
    key: string | undefined,
  ): Promise<Answer | undefined> {
    const call = async (): Promise<Answer> => {
      const api = this.random.pick(this.servers.apis);
      const response = await this.servers.call(this.target.store, method, path, body, { api, key });
      const { status, headers } = response;
      const text = await response.text();
      const retryAfter = headers.get('retry-after');
      // The status is checked before the body is parsed: some of HAProxy's own responses, such as a 504, are not JSON.
      if (status >= 500) throw new FailedAnswer(status, retryAfter, text.slice(0, 60));
      const answer = { status, body: JSON.parse(text) as Answer['body'] };
      if (answer.body.code === KEY_IN_USE) throw new FailedAnswer(status, retryAfter, KEY_IN_USE);
      if (answer.status < 300) this.ledger.acknowledgedAt.push(performance.now());
      return answer;
    };
    if (key !== undefined) return this.untilAnswered('a write with a key', call);
    return call().catch((error: unknown) => {
      this.ledger.failedCalls.push(describeFailure('a write without a key', error, false));
      return delay(RETRY_MS, undefined);
    });
  }

  /**
   * Runs work in the background, so that the writer continues. The work may take minutes: if the server was killed
   * during a call, the idempotency key of that call cannot be used again until its lease has expired.
   */
  private async aside(work: () => Promise<void>): Promise<void> {
    if (this.open.size >= MAX_OPEN) await Promise.race(this.open);
    const task = work().finally(() => this.open.delete(task));
    this.open.add(task);
    await Promise.race([task, delay(RETRY_MS)]);
  }

  /** Repeats the request like a client that does not know whether its call was executed. */
  private async untilAnswered<T>(what: string, call: () => Promise<T>): Promise<T> {
    const giveUpAt = performance.now() + LONGEST_MS;
    for (;;) {
      try {
        return await call();
      } catch (error) {
        if (performance.now() > giveUpAt) throw error;
        this.ledger.failedCalls.push(describeFailure(what, error, true));
        await delay(RETRY_MS);
      }
    }
  }
}

function outcomeOf(answer: Answer | undefined): 'done' | 'refused' | 'unknown' {
  if (!answer) return 'unknown';
  return answer.status < 300 ? 'done' : 'refused';
}
