import { randomBytes } from 'node:crypto';
import type { Line } from '../../src/catalog/reserve.js';
import type { CheckoutFault } from '../../src/checkout/items.js';
import { type PlacedOrder, placeOrder } from '../../src/checkout/place-order.js';
import type { Buyer } from '../../src/orders/records.js';
import { ordersOf } from '../../src/orders/storage.js';
import type { Feira } from './feira.js';

export const BUYER: Buyer = {
  name: 'Bia Souza',
  email: 'bia@cliente.example',
  phone: '11999990000',
  document: '52998224725',
  address: {
    street: 'Rua das Flores',
    number: '120',
    complement: null,
    district: 'Centro',
    city: 'São Paulo',
    state: 'SP',
    zipCode: '01001000',
    country: 'BR',
  },
};

export interface Purchase {
  lines: Line[];
  buyer?: Partial<Buyer>;
  checkoutId?: string;
  method?: string;
  service?: 'economy' | 'express';
}

/**
 * Places an order without using the shop's pages. Delivery to BUYER's address with the default service, economy, costs
 * R$ 12.75 for up to 300 g.
 */
export function buy(
  feira: Feira,
  workspaceId: string,
  purchase: Purchase,
): Promise<PlacedOrder | { faults: CheckoutFault[] }> {
  const {
    lines,
    buyer = {},
    checkoutId = randomBytes(8).toString('hex'),
    method = 'pix',
    service = 'economy',
  } = purchase;
  return ordersOf(feira.context.db, workspaceId).transaction(
    (tx) =>
      placeOrder(tx, feira.clock, workspaceId, {
        checkoutId,
        lines,
        buyer: { ...BUYER, ...buyer },
        payment: { method, installments: 1, gateway: feira.context.gateway },
        service,
      }),
    { waitMs: 60_000 },
  );
}

/** Orders one product and returns the order id. The order is paid by default. */
export async function order(
  feira: Feira,
  workspaceId: string,
  line: Line,
  options: { pay?: boolean } & Partial<Purchase> = {},
): Promise<string> {
  const placed = await buy(feira, workspaceId, { lines: [line], ...options });
  if ('faults' in placed) throw new Error(JSON.stringify(placed.faults));
  const { orderId, total } = placed;
  const { transactionId } = await openPayment(feira, workspaceId, orderId, total);
  if (options.pay !== false) await feira.context.gateway.decide(transactionId, 'paid');
  return orderId;
}

export function openPayment(
  feira: Feira,
  workspaceId: string,
  orderId: string,
  amount: number,
): Promise<{ transactionId: string }> {
  return feira.context.gateway.open({
    workspaceId,
    orderId,
    storeName: 'Store',
    amount,
    method: 'pix',
    installments: 1,
    dueOn: null,
    returnUrl: 'http://feira.test/',
  });
}
