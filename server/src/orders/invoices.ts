import type { Origin } from '../events/names.js';
import { emit } from '../events/outbox.js';
import type { Queryable, Tx } from '../platform/db/share.js';
import { raw, sql } from '../platform/db/sql.js';
import { conflict, notFound } from '../platform/http/errors.js';
import { isId } from '../platform/schema/ids.js';
import { isoOf } from '../platform/schema/times.js';
import type { NewInvoice } from './invoice-shapes.js';
import type { InvoiceRecord } from './records.js';
import { lockOrder } from './shipping-status.js';

/** Limits the size of an order record: 20 invoices, each with two URLs of 2,048 characters, take 90 kB. */
const MAX_INVOICES = 20;

const columns = raw(`
  i.type, i.key, i.number, i.series, i.issued_at as "issuedAt", i.amount, i.xml_url as "xmlUrl", i.pdf_url as "pdfUrl",
  i.created_at as "createdAt"`);

/** Returns undefined if the order does not exist. */
export async function listInvoices(
  db: Queryable,
  workspaceId: string,
  orderId: string,
): Promise<InvoiceRecord[] | undefined> {
  if (!isId(orderId)) return undefined;
  const rows = await db.query<InvoiceRecord>(sql`
    select ${columns} from orders o
    left join invoices i on i.workspace_id = o.workspace_id and i.order_id = o.id
    where o.workspace_id = ${workspaceId} and o.id = ${orderId} order by i.created_at, i.key`);
  return rows.length === 0 ? undefined : rows.filter(({ key }) => key !== null);
}

/** Adds an invoice to an order in any state, because some merchants issue it before the payment is confirmed. */
export async function addInvoice(
  tx: Tx,
  workspaceId: string,
  origin: Origin,
  orderId: string,
  invoice: NewInvoice,
): Promise<InvoiceRecord> {
  await lockOrder(tx, workspaceId, orderId);
  const {
    type,
    key,
    number = null,
    series = null,
    issuedAt,
    amount = null,
    xmlUrl = null,
    pdfUrl = null,
  } = invoice;
  const [inserted] = await tx.query<InvoiceRecord>(sql`
    insert into invoices as i
      (workspace_id, key, order_id, type, number, series, issued_at, amount, xml_url, pdf_url)
    values (${workspaceId}, ${key}, ${orderId}, ${type}, ${number === null ? null : String(number)},
      ${series === null ? null : String(series)}, ${issuedAt ? isoOf(issuedAt) : null}, ${amount}, ${xmlUrl}, ${pdfUrl})
    on conflict (workspace_id, key) do nothing
    returning ${columns}`);
  if (!inserted) throw conflict('duplicate_invoice', `An order of this store already has the invoice ${key}`);
  const [{ count } = { count: 0 }] = await tx.query<{ count: number }>(sql`
    select count(*) as count from invoices where workspace_id = ${workspaceId} and order_id = ${orderId}`);
  if (count > MAX_INVOICES)
    throw conflict(
      'invoice_limit',
      `The order has ${MAX_INVOICES} invoices, which is the maximum; delete one that is no longer valid`,
    );
  await touchOrder(tx, workspaceId, orderId);
  await emit(tx, workspaceId, origin, [{ event: 'order.invoiced', data: { orderId, key } }]);
  return inserted;
}

export async function removeInvoice(
  tx: Tx,
  workspaceId: string,
  orderId: string,
  key: string,
): Promise<void> {
  await lockOrder(tx, workspaceId, orderId);
  const removed = await tx.query(sql`
    delete from invoices where workspace_id = ${workspaceId} and order_id = ${orderId} and key = ${key} returning 1`);
  if (removed.length === 0) throw notFound('Invoice', key);
  await touchOrder(tx, workspaceId, orderId);
}

/**
 * Updates the order, no matter which column, so that its triggers run: they set updated_at, build the JSON of the order
 * again and queue the change for delta sync.
 */
async function touchOrder(tx: Tx, workspaceId: string, orderId: string): Promise<void> {
  await tx.query(
    sql`update orders set updated_at = now() where workspace_id = ${workspaceId} and id = ${orderId}`,
  );
}
