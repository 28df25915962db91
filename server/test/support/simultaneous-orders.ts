import { randomUUID } from 'node:crypto';
import type { Line } from '../../src/catalog/reserve.js';
import type { OrderRequest, PlacedOrder, Placement } from '../../src/checkout/request.js';
import { newProduct } from './catalog.js';
import type { Feira, StoreClient } from './feira.js';
import { BUYER } from './shop.js';

/** One line of a simple product. */
export const one = (productId: string, quantity = 1): Line => ({ productId, variantId: null, quantity });

/** A store whose orders are placed at the same time. */
export class BusyStore {
  constructor(
    private readonly feira: Feira,
    private readonly store: StoreClient,
  ) {}

  products(count: number, quantity = 10): Promise<string[]> {
    return Promise.all(Array.from({ length: count }, () => newProduct(this.store, { price: 10, quantity })));
  }

  stocksOf(productIds: string[]): Promise<number[]> {
    return Promise.all(productIds.map(async (id) => (await this.store.get(`/products/${id}`)).body.quantity));
  }

  /** Places orders at the same time, one per list of lines, with the given changes to the requests. */
  place(carts: Line[][], changes: Partial<OrderRequest>[] = []): Promise<Placement>[] {
    const { placement, gateway } = this.feira.context;
    return carts.map((lines, index) =>
      placement.place(this.store.workspaceId, {
        checkoutId: randomUUID(),
        lines,
        buyer: { ...BUYER, document: null, email: `buyer${index}@cliente.example` },
        payment: { method: 'pix', installments: 1, gateway },
        service: 'economy',
        ...changes[index],
      }),
    );
  }

  /** Reads placed orders through the API. */
  read(placed: Placement[]) {
    return Promise.all(
      placed.map(async (each) => (await this.store.get(`/orders/${(each as PlacedOrder).orderId}`)).body),
    );
  }
}
