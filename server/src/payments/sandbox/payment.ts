export interface SandboxPayment {
  id: string;
  workspaceId: string;
  orderId: string;
  storeName: string;
  amount: number;
  method: string;
  installments: number;
  returnUrl: string;
  /** The due date of a boleto (YYYY-MM-DD). */
  dueOn: string | null;
  status: 'open' | 'paid' | 'declined' | 'canceled';
  refunded: number;
}
