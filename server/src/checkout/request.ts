import type { Line } from '../catalog/reserve.js';
import type { Buyer } from '../orders/records.js';
import type { PaymentGateway } from '../payments/gateway.js';
import type { CheckoutFault } from './items.js';
import type { Refusal } from './refused.js';
import type { ShopUses } from './shop-use.js';

export interface OrderRequest {
  /** The id of the submitted form. If the form is submitted twice, only one order is placed. */
  checkoutId: string;
  lines: Line[];
  buyer: Buyer;
  /** The delivery service that the buyer selected. */
  service: string;
  payment: {
    method: string;
    installments: number;
    gateway: Pick<PaymentGateway, 'name' | 'transactionIdOf'>;
  };
  /** priceTag() of the prices shown to the buyer. If absent, any price is accepted. */
  agreed?: string | undefined;
  /**
   * The buyer's network (networkOf), and the counts of recent and unpaid orders per shop. Absent for simulated buyers
   * and for the orders that fillDemo() places, to which the limits per network and per shop do not apply.
   */
  limited?: { network: string; shopUses: ShopUses };
}

export interface PlacedOrder {
  orderId: string;
  total: number;
  transactionId: string | null;
  repeated: boolean;
}

export type Placement = PlacedOrder | { faults: CheckoutFault[] } | { refused: Refusal };
