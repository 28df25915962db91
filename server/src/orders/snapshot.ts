import type { SnapshotRecords } from '../events/snapshots.js';
import { fixed, sql } from '../platform/db/sql.js';
import { FIRST_ID } from '../platform/schema/ids.js';
import { type CustomerRecord, customerColumns } from './customers.js';
import { type OrderRecord, orderColumns } from './records.js';

export const orderRecords: SnapshotRecords<OrderRecord> = {
  start: [FIRST_ID],
  next: (workspaceId, [id]) => nextOrders(workspaceId, id!),
  keyOf: ({ id }) => [id],
  lineOf: (order) => JSON.stringify(order),
};

export const customerRecords: SnapshotRecords<CustomerRecord> = {
  start: [FIRST_ID],
  next: (workspaceId, [id]) => nextCustomers(workspaceId, id!),
  keyOf: ({ id }) => [id],
  lineOf: (customer) => JSON.stringify(customer),
};

const nextOrders = fixed(
  (workspaceId: string, after: string) => sql`
    select ${orderColumns} from orders o
    where o.workspace_id = ${workspaceId} and o.id > ${after}::uuid order by o.id limit 100`,
);

const nextCustomers = fixed(
  (workspaceId: string, after: string) => sql`
    select ${customerColumns} from customers c
    where c.workspace_id = ${workspaceId} and c.id > ${after}::uuid order by c.id limit 200`,
);
