import { raw, type Statement, sql } from '../platform/db/sql.js';

/** More unnumbered events than this are not counted for each page view. */
const MOST_PENDING = raw('100');

/**
 * The column `version`: the number of events that the store has ever had, in the snapshot of the statement. Events are
 * committed with their change, so whatever is announced by events is unchanged as long as the version is the same.
 * A later snapshot shows all events of an earlier one, and moving an event from the outbox to its number keeps the sum.
 * Null while many events wait for their number. `workspaceId` is a column of the surrounding statement.
 */
export function storeVersion(workspaceId: Statement): Statement {
  return sql`
    select case when pending.events < ${MOST_PENDING} then
      coalesce(h.last_sequence + h.last_order_change, 0) + pending.events || ' ' || history_identity() end as version
    from (
      select count(*) as events from (
        select from outbox where workspace_id = ${workspaceId} order by position limit ${MOST_PENDING}) counted
    ) pending
    left join event_heads h on h.workspace_id = ${workspaceId}`;
}
