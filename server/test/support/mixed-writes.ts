import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { expireUnpaid } from '../../src/orders/lifecycle.js';
import { sql } from '../../src/platform/db/sql.js';
import { isTemporary } from '../../src/platform/db/unavailable.js';
import { newProduct, newVaried } from './catalog.js';
import type { Answer, Feira, StoreClient } from './feira.js';
import { Random } from './random.js';
import { buy, openPayment } from './shop.js';

const SKUS = ['S', 'M', 'L'];

/** A store that concurrent writers change through several processes. */
export interface MixedStore {
  store: StoreClient;
  processes: Feira[];
  simple: string[];
  varied: string[];
  /** The ids of orders that are known to be placed. An order whose response was lost is not included. */
  orders: string[];
  random: Random;
}

export async function openMixedStore(processes: Feira[], seed: number): Promise<MixedStore> {
  const store = await processes[0]!.store();
  const simple: string[] = [];
  for (let n = 0; n < 4; n++) simple.push(await newProduct(store, { sku: `P${n}`, quantity: 50 }));
  const varied: string[] = [];
  for (let n = 0; n < 2; n++) varied.push(await newVaried(store, { S: 50, M: 50, L: 50 }));
  return { store, processes, simple, varied, orders: [], random: new Random(seed) };
}

/**
 * Thrown if the database was unavailable or a connection to it broke, so it is unknown whether the write was executed.
 */
class Interrupted extends Error {}

/**
 * Performs `writes` random writes, up to `atOnce` at the same time. With `duringFaults`, an interrupted write is
 * replaced by another write, and the number of interrupted writes is returned. Every other failure is thrown.
 */
export async function writeMixed(
  mixed: MixedStore,
  options: { writes: number; atOnce: number; duringFaults?: boolean },
): Promise<number> {
  let left = options.writes;
  let interrupted = 0;
  const writer = async () => {
    while (left > 0) {
      left--;
      try {
        await writeSomething(mixed);
      } catch (error) {
        if (!options.duringFaults || !(error instanceof Interrupted || isTemporary(error))) throw error;
        interrupted++;
        left++;
        await delay(25);
      }
    }
  };
  await Promise.all(Array.from({ length: options.atOnce }, writer));
  return interrupted;
}

/** Cancels all unpaid orders of the store, in all processes at the same time. */
export async function expireEverything({ store, processes }: MixedStore): Promise<void> {
  await processes[0]!.context.db.store('test').autocommit.query(sql`
    update orders set expires_at = now() - interval '1 second'
    where workspace_id = ${store.workspaceId} and status = 'pending'`);
  await Promise.all(processes.map(({ context, clock }) => expireUnpaid(context.db, clock)));
}

/** Performs one random write. The API may reject it, for example the refund of an unpaid order. */
async function writeSomething(mixed: MixedStore): Promise<void> {
  const { simple, varied, orders, random } = mixed;
  const feira = random.pick(mixed.processes);
  const store = mixed.store.through(feira);
  const quantity = random.below(100);
  const product = random.pick(simple);
  const variations = random.pick(varied);
  switch (random.below(10)) {
    case 0:
    case 1:
      return succeeds(store.patch(`/products/${product}/stock`, { quantity }));
    case 2:
      return succeeds(
        store.patch(`/products/${variations}/variants/${random.pick(SKUS)}/stock`, { quantity }),
      );
    case 3:
    case 4: {
      const skus = ['P0', 'P1', 'P2', 'P3'].filter(() => random.below(2) === 0);
      const entries = skus.map((sku) => ({ sku, quantity: random.below(100) }));
      return entries.length > 0 ? succeeds(store.patch('/stock', { entries })) : undefined;
    }
    case 5: {
      const variants = SKUS.map((sku) => ({ sku, quantity: random.below(100) }));
      return succeeds(store.patch(`/products/${variations}/variants`, { variants }));
    }
    case 6:
      return succeeds(store.patch(`/products/${product}`, { quantity, price: 1 + quantity }));
    case 7: {
      const products = simple.filter(() => random.below(2) === 0);
      return placeAndPay(mixed, feira, products, random.below(3) > 0);
    }
    case 8: {
      const id = orders.length > 0 ? random.pick(orders) : undefined;
      const restock = random.below(2) === 0;
      if (id) await isAnswered(store.post(`/orders/${id}/refund`, { restock }), [200, 409]);
      return;
    }
    default: {
      const id = orders.length > 0 ? random.pick(orders) : undefined;
      const statusShipping = random.pick(['preparing', 'sent', 'in_transit', 'delivered']);
      if (id) await isAnswered(store.patch(`/orders/${id}/shipping-status`, { statusShipping }), [200, 409]);
    }
  }
}

function succeeds(call: Promise<Answer>): Promise<void> {
  return isAnswered(call, [200]);
}

async function isAnswered(call: Promise<Answer>, statuses: number[]): Promise<void> {
  const { status, body } = await call;
  if (status === 502 || status === 503) throw new Interrupted(body.error);
  expect(statuses, JSON.stringify(body)).toContain(status);
}

async function placeAndPay({ store, orders }: MixedStore, feira: Feira, products: string[], pay: boolean) {
  if (products.length === 0) return;
  const lines = products.map((productId) => ({ productId, variantId: null, quantity: 1 }));
  const placed = await buy(feira, store.workspaceId, { lines });
  if ('faults' in placed) return;
  orders.push(placed.orderId);
  if (!pay) return;
  const { transactionId } = await openPayment(feira, store.workspaceId, placed.orderId, placed.total);
  await feira.context.gateway.decide(transactionId, 'paid');
}
