import type { Tx } from '../platform/db/share.js';
import { fixed, sql } from '../platform/db/sql.js';
import type { PageRequest } from '../platform/lists/paging.js';
import { withoutTaxIdPunctuation } from './tax-id.js';

/** Adds the search terms of new orders. */
export async function addOrderSearch(tx: Tx, workspaceId: string, orderIds: string[]): Promise<void> {
  await tx.query(addTerms(workspaceId, orderIds));
}

/** Updates the search terms of orders: number, customer, SKUs and shipment code. */
export async function refreshOrderSearch(tx: Tx, workspaceId: string, orderIds: string[]): Promise<void> {
  await tx.query(setTerms(workspaceId, orderIds));
}

const addTerms = fixed(
  (workspaceId: string, orderIds: string[]) => sql`
    insert into order_search (workspace_id, order_id, terms)
    select o.workspace_id, o.id, search_terms(variadic array[o.number::text, o.customer->>'name', o.customer->>'email',
      o.customer->>'document', formatted_tax_id(o.customer->>'document'), o.code_shipping] || array(select item->>'sku' from jsonb_array_elements(o.items) item))
    from orders o where o.workspace_id = ${workspaceId} and o.id = any((select ${orderIds}::uuid[])::uuid[])`,
);

/**
 * PostgreSQL runs the triggers for updates of such a statement even if it only inserts rows, so addTerms() is a
 * statement of its own.
 */
const setTerms = fixed(
  (workspaceId: string, orderIds: string[]) => sql`
    ${addTerms(workspaceId, orderIds)} on conflict (workspace_id, order_id) do update set terms = excluded.terms`,
);

/** If the search is a complete CPF or CNPJ, removes its punctuation, so that it is found however it is written. */
export function searchingForDocuments<F extends { search?: string }>(
  request: PageRequest<F>,
): PageRequest<F> {
  const { search } = request.filters;
  if (search === undefined) return request;
  return { ...request, filters: { ...request.filters, search: withoutTaxIdPunctuation(search) } };
}
