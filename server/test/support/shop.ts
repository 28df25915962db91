import { randomBytes } from 'node:crypto';
import type { Line } from '../../src/catalog/reserve.js';
import type { CheckoutFault } from '../../src/checkout/items.js';
import { OrderPlacement } from '../../src/checkout/order-placement.js';
import type { PlacedOrder } from '../../src/checkout/request.js';
import type { Buyer } from '../../src/orders/records.js';
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
export async function buy(
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
  const placed = await placementOf(feira).place(workspaceId, {
    checkoutId,
    lines,
    buyer: { ...BUYER, ...buyer },
    payment: { method, installments: 1, gateway: feira.context.gateway },
    service,
  });
  if ('refused' in placed) throw new Error(`the order was refused: ${placed.refused}`);
  return placed;
}

const placements = new WeakMap<Feira, OrderPlacement>();

/** Returns the order placement of a server, with a wait that is long enough for hundreds of buyers on a busy machine. */
function placementOf(feira: Feira): OrderPlacement {
  const known = placements.get(feira) ?? new OrderPlacement(feira.context.db, feira.clock, 60_000);
  placements.set(feira, known);
  return known;
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
