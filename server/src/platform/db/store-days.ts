import { type Statement, sql } from './sql.js';

/**
 * Returns a SQL expression for the time at which a day begins in the time zone of a store. Where clocks are set back
 * from 1:00 to 0:00 (Havana, the Azores), the day of the change has two midnights. That day begins with the first.
 */
export function startOfDay(workspaceId: string, day: Statement): Statement {
  return sql`(
    select case when ((midnight - interval '1 hour') at time zone timezone)::date = day
      then midnight - interval '1 hour' else midnight end
    from workspaces, lateral (select ${day} as day) d, lateral (select day::timestamp at time zone timezone as midnight) m
    where id = ${workspaceId})`;
}
