import { raw, type Statement, sql } from '../platform/db/sql.js';
import type { ChangedField } from './changed-fields.js';
import type { Origin } from './names.js';
import type { NewEvent } from './outbox.js';

// A PATCH, a batch, a checkout or a new image can change a product or its stock. All product.updated and stock.updated
// events are built here, so that the fields of their data do not depend on what caused the change.

export function productUpdated(id: string, fields: ChangedField[]): NewEvent {
  return { event: 'product.updated', data: { id, fields }, changed: fields };
}

/** `count` is the number of variations that were added, changed or removed. */
export function variationsUpdated(id: string, count: number): NewEvent {
  return { event: 'product.updated', data: { id, variants: count }, changed: ['variants'] };
}

/** Reports the stock balance of a product without variations. */
export function stockUpdated(id: string, quantity: number): NewEvent {
  return { event: 'stock.updated', data: { id, quantity } };
}

/** Reports the stock balance of a variation. `id` is the id of its product. */
export function variationStockUpdated(id: string, sku: string | null, quantity: number): NewEvent {
  return { event: 'stock.updated', data: { id, sku: sku ?? '', quantity } };
}

/**
 * Returns SQL that inserts the event of `stockUpdated` for each row of a CTE, as part of the statement that changes the
 * balances. The CTE is called `changed` unless another name is given. `origin` is a value or a column of the CTE.
 */
export function insertStockUpdated(origin: Origin | Statement, cte?: Statement): Statement {
  return insertFrom(cte, sql`jsonb_build_object('id', id, 'quantity', quantity)`, origin);
}

export function insertVariationStockUpdated(origin: Origin | Statement, cte?: Statement): Statement {
  return insertFrom(
    cte,
    sql`jsonb_build_object('id', product_id, 'sku', coalesce(sku, ''), 'quantity', quantity)`,
    origin,
  );
}

function insertFrom(cte = raw('changed'), data: Statement, origin: Origin | Statement): Statement {
  return sql`
    insert into outbox (workspace_id, event, data, origin)
    select workspace_id, 'stock.updated', ${data}, ${origin} from ${cte}`;
}
