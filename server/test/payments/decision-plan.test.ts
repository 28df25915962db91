import { expect, test } from 'vitest';
import { PaymentBatches } from '../../src/payments/sandbox/payment-batches.js';
import type { Database } from '../../src/platform/db/database.js';
import { type Statement, sql } from '../../src/platform/db/sql.js';
import { openFeira } from '../support/feira.js';

test('decided payments are found by their ids, however many payments there are', async () => {
  const feira = await openFeira();
  const { workspaceId } = await feira.store();
  const db = feira.context.db.store('test');
  await db.autocommit.query(sql`
    insert into sandbox_payments (id, workspace_id, order_id, store_name, amount, method, installments, return_url, status)
    select 'sbx_' || lpad(to_hex(n), 24, '0'), ${workspaceId}::uuid, new_id(), 'Loja', 1, 'pix', 1, 'https://loja.example/',
      case when n % 10 = 0 then 'open' else 'paid' end
    from generate_series(1, 10000) n`);
  await db.autocommit.query(sql`vacuum analyze sandbox_payments`);
  const statements: Statement[] = [];
  const query = async (statement: Statement) => {
    statements.push(statement);
    return [];
  };
  const recording = { store: () => ({ autocommit: { query } }) } as unknown as Database;
  await new PaymentBatches(recording).decide(workspaceId, {
    id: 'sbx_0123456789abcdef01234567',
    status: 'paid',
  });
  // The first statement decides payments that are free, the second waits for one that is locked.
  expect(statements).toHaveLength(2);
  for (const statement of statements) {
    const [row] = await db.query<{ 'QUERY PLAN': unknown }>(sql`explain (format json) ${statement}`);
    const plan = JSON.stringify(row!['QUERY PLAN']);
    expect(plan).toContain('sandbox_payments_pkey');
    expect(plan).not.toContain('Seq Scan');
  }
  await feira.close();
});
