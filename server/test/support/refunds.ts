import { finishRefunds } from '../../src/orders/refund.js';
import { sql } from '../../src/platform/db/sql.js';
import type { Feira } from './feira.js';
import { transactionOf } from './orders.js';

/** Returns the amounts that the gateway has refunded for the order, oldest first. */
export async function refundedAmounts(feira: Feira, orderId: string): Promise<number[]> {
  const rows = await feira.context.db
    .store('test')
    .query<{ amount: number }>(
      sql`select amount from sandbox_refunds where payment_id = ${await transactionOf(feira, orderId)} order by created_at`,
    );
  return rows.map(({ amount }) => amount);
}

/** Runs the refund job of the worker in all of these processes at the same time. */
export function finishRefundsIn(processes: Feira[]): Promise<unknown> {
  return Promise.all(
    processes.map(({ context }) => finishRefunds(context.db, context.clock, context.gateway)),
  );
}
