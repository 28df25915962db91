import type { Ledger, Outcome } from './ledger.js';
import type { FeedEntry, StoreState } from './state.js';

export interface Expectation {
  ledger: Ledger;
  /** Products whose stock is set only by the writers. */
  ownProducts: string[];
  /** Products that buyers order. */
  soldProducts: string[];
  /** The initial stock of each of the sold products. */
  soldAtFirst: number;
}

/** Compares a store with the responses that its writers received. Returns a description of each difference. */
export function verify(state: StoreState, expected: Expectation): string[] {
  return [
    ...expected.ledger.unexpected,
    ...verifyCreates(state, expected),
    ...verifyStock(state, expected),
    ...verifySales(state, expected),
    ...verifyMoney(state, expected),
    ...verifyFeed(state),
  ];
}

const wanted: Record<Outcome, (count: number) => boolean> = {
  done: (count) => count === 1,
  refused: (count) => count === 0,
  unknown: (count) => count <= 1,
};

function verifyCreates({ products, images }: StoreState, { ledger }: Expectation): string[] {
  const faults: string[] = [];
  for (const { name, id, outcome } of ledger.products) {
    const found = products.filter((product) => product.name === name);
    if (!wanted[outcome](found.length)) faults.push(`create of ${name} was ${outcome}: ${found.length} rows`);
    if (outcome === 'refused') faults.push(`create of ${name}, a new name, was refused`);
    if (outcome === 'done' && found[0] && found[0].id !== id)
      faults.push(`create of ${name} answered ${id}, the row is ${found[0].id}`);
  }
  const urls = countBy(images, ({ url }) => url);
  for (const { url, outcome } of ledger.images) {
    const count = urls.get(url) ?? 0;
    if (!wanted[outcome](count) || outcome === 'refused')
      faults.push(`image ${url} was ${outcome}: ${count} rows`);
  }
  return faults;
}

/**
 * Every write to a product sets a higher balance than the one before. So every acknowledged balance must be in the feed
 * once, and the stored balance must equal that of the last event and not be lower than any acknowledged one.
 */
function verifyStock({ products, feed }: StoreState, { ledger, ownProducts }: Expectation): string[] {
  const faults: string[] = [];
  const balances = feed.filter(
    ({ event, data }) => event === 'stock.updated' && ownProducts.includes(data.id),
  );
  const counts = countBy(balances, ({ data }) => `${data.id} ${data.quantity}`);
  for (const { productId, quantity, outcome } of ledger.stock) {
    const count = counts.get(`${productId} ${quantity}`) ?? 0;
    if (!wanted[outcome](count) || outcome === 'refused')
      faults.push(`stock write ${quantity} of product ${productId} was ${outcome}: ${count} events`);
  }
  for (const id of ownProducts) {
    const last = balances.findLast(({ data }) => data.id === id)?.data.quantity ?? 0;
    const stored = products.find((product) => product.id === id)?.quantity;
    if (stored !== last) faults.push(`product ${id} has ${stored} units, but its last event says ${last}`);
    const acknowledged = ledger.stock.filter((write) => write.productId === id && write.outcome === 'done');
    const newest = Math.max(0, ...acknowledged.map(({ quantity }) => quantity));
    if (last < newest) faults.push(`last event of product ${id} says ${last}; ${newest} was acknowledged`);
  }
  return faults;
}

/** Every unit must be in stock or in an order, and every change to the stock must have one event. */
function verifySales(state: StoreState, { ledger, soldProducts, soldAtFirst }: Expectation): string[] {
  const faults: string[] = [];
  // Without orders and payments, the checks of sales and amounts would find nothing, whatever the server does.
  if (ledger.payments.length === 0) faults.push('no order was placed and paid');
  const placed = countBy(state.orders, ({ checkoutId }) => checkoutId);
  for (const { checkoutId, outcome } of ledger.checkouts) {
    const count = placed.get(checkoutId) ?? 0;
    if (!wanted[outcome](count)) faults.push(`checkout ${checkoutId} was ${outcome}: ${count} orders`);
  }
  const returned = new Set(
    state.refunds.filter(({ status, restock }) => status === 'done' && restock).map(({ orderId }) => orderId),
  );
  for (const id of soldProducts) {
    const orders = state.orders.filter(({ productId }) => productId === id);
    const back = orders.filter((order) => order.status === 'canceled' || returned.has(order.id));
    const changes = [...orders.map(({ units }) => -units), ...back.map(({ units }) => units)];
    const left = changes.reduce((sum, change) => sum + change, soldAtFirst);
    const stored = state.products.find((product) => product.id === id)?.quantity;
    if (stored !== left || left < 0)
      faults.push(`product ${id} has ${stored} units in stock, but ${left} are expected from the orders`);
    const reported = differences(soldAtFirst, stockEvents(state.feed, id));
    if (String(reported.sort(ascending)) !== String(changes.sort(ascending)))
      faults.push(`stock of product ${id} changed by ${changes}, but its events report ${reported}`);
  }
  return faults;
}

function stockEvents(feed: FeedEntry[], productId: string): number[] {
  return feed
    .filter(({ event, data }) => event === 'stock.updated' && data.id === productId)
    .map(({ data }) => data.quantity);
}

function differences(first: number, balances: number[]): number[] {
  return balances.map((balance, index) => balance - (balances[index - 1] ?? first));
}

function ascending(one: number, other: number): number {
  return one - other;
}

/** The amounts of the orders, the gateway and the customers must agree, and no order may be refunded twice. */
function verifyMoney(state: StoreState, { ledger }: Expectation): string[] {
  const faults: string[] = [];
  const orders = new Map(state.orders.map((order) => [order.id, order]));
  for (const { orderId } of ledger.payments)
    if (!orders.get(orderId)?.wasPaid)
      faults.push(`order ${orderId} was paid, but is ${orders.get(orderId)?.status}`);
  for (const { orderId, outcome } of ledger.refunds)
    if (outcome === 'done' && orders.get(orderId)?.status !== 'refunded')
      faults.push(`order ${orderId} was refunded, but is ${orders.get(orderId)?.status}`);
  const refunds = countBy(state.refunds, ({ orderId }) => orderId);
  const answered = countBy(
    ledger.refunds.filter(({ outcome }) => outcome === 'done'),
    ({ orderId }) => orderId,
  );
  for (const payment of state.payments) {
    const order = orders.get(payment.orderId);
    if (!order || payment.amount !== order.total || payment.refunded !== order.refundedAmount)
      faults.push(`a payment has no order, or their amounts differ: ${JSON.stringify({ payment, order })}`);
    const times = [refunds.get(payment.orderId) ?? 0, payment.movements, answered.get(payment.orderId) ?? 0];
    if (times.some((count) => count > 1))
      faults.push(
        `order ${payment.orderId} was refunded more than once (refunds stored, at the gateway, acknowledged): ${times}`,
      );
    if ((payment.status === 'paid') !== (order?.wasPaid ?? false))
      faults.push(`order ${payment.orderId} is ${order?.status}, but its payment is ${payment.status}`);
  }
  for (const { id, ordersCount, spent } of state.customers) {
    const paid = state.orders.filter((order) => order.customerId === id && order.wasPaid);
    const sum = paid.reduce((total, order) => total + order.total - order.refundedAmount, 0);
    if (ordersCount !== paid.length || Math.abs(spent - sum) > 0.001)
      faults.push(
        `customer ${id} has ${ordersCount} orders for ${spent}, expected ${paid.length} for ${sum}`,
      );
  }
  return faults;
}

/** Sequence numbers must have no gaps, and each change must have one event. */
function verifyFeed({ feed, products, images, orders }: StoreState): string[] {
  const faults: string[] = [];
  for (const [index, { sequence }] of feed.entries())
    if (sequence !== index + 1) faults.push(`position ${index + 1} of the feed has sequence ${sequence}`);
  const counts = countBy(feed, nameOf);
  const expectOne = (name: string, isExpected = true) => {
    const count = counts.get(name) ?? 0;
    if (count !== Number(isExpected)) faults.push(`${count} events ${name}, expected ${Number(isExpected)}`);
  };
  for (const { id } of products) expectOne(`product.created ${id}`);
  for (const { id, status, wasPaid } of orders) {
    expectOne(`order.created ${id}`);
    expectOne(`order.paid ${id}`, wasPaid);
    expectOne(`order.refunded ${id}`, status === 'refunded');
    expectOne(`order.canceled ${id}`, status === 'canceled');
  }
  const attached = feed.filter(({ data }) => data.fields?.includes('images')).length;
  if (attached !== images.length) faults.push(`${attached} image events, expected ${images.length}`);
  return faults;
}

function nameOf({ event, data }: FeedEntry): string {
  return `${event} ${data.orderId ?? data.id}`;
}

function countBy<T>(list: T[], keyOf: (each: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const each of list) counts.set(keyOf(each), (counts.get(keyOf(each)) ?? 0) + 1);
  return counts;
}
