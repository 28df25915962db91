/** A request to open a payment. */
export interface PaymentRequest {
  workspaceId: string;
  orderId: string;
  storeName: string;
  amount: number;
  method: string;
  installments: number;
  /** The day (YYYY-MM-DD) on which a boleto is due; null for other methods. */
  dueOn: string | null;
  /** The page to which the buyer returns after the payment. */
  returnUrl: string;
}

/** A payment gateway. Each call may be repeated; the same request moves money once. */
export interface PaymentGateway {
  readonly name: string;
  /**
   * Opens a payment for an order, or finds the one that was opened for it. If the buyer has chosen another method since, an
   * unpaid payment continues with that one.
   */
  open(request: PaymentRequest): Promise<{ transactionId: string; paymentUrl: string }>;
  /**
   * Refunds an amount. `requestId` identifies the request: the gateway executes it once, however often it is
   * repeated.
   */
  refund(transactionId: string, requestId: string, amount: number): Promise<{ refundedInAll: number }>;
}

/** A signed report of the gateway about a payment. */
export interface Notification {
  id: string;
  type: 'paid' | 'canceled' | 'refunded';
  workspaceId: string;
  orderId: string;
  transactionId: string;
  /** The amount of the payment. For `paid`, the amount that was paid. */
  amount: number;
  refundedInAll: number;
}
