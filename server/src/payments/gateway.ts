/** What a payment is opened with. */
export interface PaymentRequest {
  workspaceId: string;
  orderId: string;
  storeName: string;
  amount: number;
  method: string;
  installments: number;
  /** Where the buyer goes afterwards. */
  returnUrl: string;
}

/** What Feira needs of a payment gateway. Each call may be repeated: the same request moves money once. */
export interface PaymentGateway {
  readonly name: string;
  /** Opens a payment for an order, or finds the one that was opened for it. */
  open(request: PaymentRequest): Promise<{ transactionId: string; paymentUrl: string }>;
  /** Gives money back. `requestId` names the request: the gateway does it once, however often it is asked. */
  refund(transactionId: string, requestId: string, amount: number): Promise<{ refundedInAll: number }>;
}

/** What a gateway reports afterwards, under a signature. */
export interface Notification {
  id: string;
  type: 'paid' | 'canceled' | 'refunded';
  workspaceId: string;
  orderId: string;
  transactionId: string;
  /** What the payment is about; with `paid`, what was paid. */
  amount: number;
  refundedInAll: number;
}
