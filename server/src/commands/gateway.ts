import { findOrder } from '../orders/queries.js';
import { ordersOf } from '../orders/storage.js';
import type { SandboxGateway } from '../payments/sandbox/gateway.js';
import { isId } from '../platform/schema/ids.js';
import { type Command, UsageError, type Values } from './command.js';
import { withSandbox } from './with-sandbox.js';

const order = { value: 'O', description: 'Order: its id', required: true };

/** These commands simulate actions of the buyer or the merchant at the payment gateway. */
export const pay: Command = {
  summary: 'Pay an order at the gateway',
  options: { order },
  example: 'feira gateway pay --order 0192…',
  run: (values) => act(values, (gateway, id) => gateway.decide(id, 'paid')),
};

export const cancel: Command = {
  summary:
    'Cancel the payment of an order at the gateway, which cancels the order and puts its items back in stock',
  options: { order },
  example: 'feira gateway cancel --order 0192…',
  run: (values) => act(values, (gateway, id) => gateway.decide(id, 'canceled')),
};

export const refund: Command = {
  summary: 'Refund an order at the gateway, in part or in full',
  options: {
    order,
    amount: { value: 'A', description: 'Reais, such as 10.50 (default: all that is not yet refunded)' },
  },
  example: 'feira gateway refund --order 0192… --amount 10.50',
  async run(values) {
    const amount = values.amount === undefined ? undefined : amountOf(String(values.amount));
    return act(values, (gateway, id) => gateway.refundAsMerchant(id, amount));
  },
};

async function act(
  values: Values,
  work: (gateway: SandboxGateway, paymentId: string) => Promise<void>,
): Promise<{ orderId: string; status: string; refundedAmount: number }> {
  const orderId = String(values.order);
  return withSandbox(async ({ db, gateway }) => {
    const payment = isId(orderId) ? await gateway.findByOrder(orderId) : undefined;
    if (!payment)
      throw new UsageError(`No payment found for order ${orderId}`, { code: 'payment_not_found' });
    await work(gateway, payment.id);
    const { status, refundedAmount } = (await findOrder(
      ordersOf(db, payment.workspaceId),
      payment.workspaceId,
      orderId,
    ))!;
    return { orderId, status, refundedAmount };
  });
}

function amountOf(text: string): number {
  if (!/^\d{1,12}(\.\d{1,2})?$/.test(text) || Number(text) === 0)
    throw new UsageError(
      '--amount must be an amount in reais above 0, with up to two decimals, such as 10.50',
    );
  return Number(text);
}
