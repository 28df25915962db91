import { expect, test } from 'vitest';
import { listChanges } from '../../src/orders/queries.js';
import type { StoreAccess } from '../../src/platform/db/share.js';
import { type Statement, sql } from '../../src/platform/db/sql.js';
import { ListMemory } from '../../src/platform/lists/list-memory.js';
import { openFeira } from '../support/feira.js';

interface Plan {
  'Relation Name'?: string;
  'Index Cond'?: string;
  Plans?: Plan[];
}

test('delta sync finds the position of its cursor in the index of the changes', async () => {
  const feira = await openFeira();
  const { workspaceId } = await feira.store();
  const db = feira.context.db.store('test');
  await db.autocommit.query(sql`
    insert into orders (workspace_id, id, number, subtotal, shipping_cost, total, payment_method, gateway, customer_id, customer,
      shipping_address, items, checkout_id, expires_at)
    select ${workspaceId}::uuid, new_id(), n, 1, 1, 2, 'pix', 'sandbox', new_id(), '{}', '{}', '[]', n::text, now() + interval '1 hour'
    from generate_series(1, 3000) n`);
  const statements: Statement[] = [];
  const recording = {
    autocommit: db.autocommit,
    transaction: db.transaction.bind(db),
    query: (statement: Statement) => {
      statements.push(statement);
      return db.query(statement);
    },
  } as StoreAccess;
  const request = { list: 'orders', limit: 50, filters: {}, sort: 'updatedAt', page: undefined };
  const read = async (after?: { value: string; id: string }) =>
    JSON.parse((await listChanges(recording, memory, workspaceId, { ...request, after })).toString());
  const memory = new ListMemory(db.autocommit);
  const first = await read();
  const [, , , position] = JSON.parse(Buffer.from(first.meta.nextCursor, 'base64url').toString());
  await db.autocommit.query(sql`vacuum analyze orders, order_changes`);
  const after = { value: position.replace(/\d+$/, '2990'), id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };
  expect((await read(after)).data).toHaveLength(10);

  const [row] = await db.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    sql`explain (format json) ${statements.at(-1)!}`,
  );
  const conditions: (string | undefined)[] = [];
  const collect = (plan: Plan) => {
    if (plan['Relation Name'] === 'order_changes') conditions.push(plan['Index Cond']);
    plan.Plans?.forEach(collect);
  };
  collect(row!['QUERY PLAN'][0].Plan);
  expect(conditions).toEqual([expect.stringContaining('ROW(')]);
  await feira.close();
});
