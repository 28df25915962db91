import { finishRefunds } from '../../src/orders/refund.js';
import { sql } from '../../src/platform/db/sql.js';
import type { Feira } from './feira.js';
import { transactionOf } from './orders.js';

/** Returns how many refunds of the order the gateway has executed. */
export async function executedRefunds(feira: Feira, orderId: string): Promise<number> {
  const rows = await feira.context.db
    .store('test')
    .query(sql`select from sandbox_refunds where payment_id = ${await transactionOf(feira, orderId)}`);
  return rows.length;
}

/** Runs the refund job of the worker in all of these processes at the same time. */
export function finishRefundsIn(processes: Feira[]): Promise<unknown> {
  return Promise.all(
    processes.map(({ context }) => finishRefunds(context.db, context.clock, context.gateway)),
  );
}
