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

/** A payment gateway. Every call may be repeated: the same request moves money only once. */
export interface PaymentGateway {
  readonly name: string;
  /** Returns the id that the payment of an order will have, so that it can be stored before the payment is opened. */
  transactionIdOf(orderId: string): string;
  /**
   * Opens a payment for an order, or returns the one that was already opened. If the buyer has chosen another method or
   * number of installments since then, an unpaid payment is changed accordingly.
   */
  open(request: PaymentRequest): Promise<{ transactionId: string; paymentUrl: string }>;
  /**
   * Refunds an amount. `requestId` identifies the request: however often it is repeated, the gateway executes it once.
   */
  refund(transactionId: string, requestId: string, amount: number): Promise<{ refundedInAll: number }>;
}

/** What a gateway reports about a payment. The gateway signs each notification. */
export interface Notification {
  id: string;
  type: 'paid' | 'canceled' | 'refunded';
  workspaceId: string;
  orderId: string;
  transactionId: string;
  /**
   * For `paid`, the amount received, which may differ from the order total. For the other types, the amount of the whole
   * payment.
   */
  amount: number;
  refundedInAll: number;
}
