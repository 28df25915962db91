import { Gauge, type Registry } from 'prom-client';
import type { Share } from '../platform/db.js';
import { sql } from '../platform/sql.js';
import type { Dispatcher } from './dispatcher.js';

const COUNTED_TO = 100_000;

/** What waits is asked of the database when somebody looks; what was done is counted by the process that did it. */
export function measureDeliveries(registry: Registry, db: Share, dispatcher: Dispatcher): void {
  const registers = [registry];
  const oldest = new Gauge({
    name: 'feira_deliveries_oldest_due_seconds',
    help: 'How long the oldest due delivery waits',
    registers,
  });
  new Gauge({
    name: 'feira_deliveries_due',
    help: `Deliveries due now, counted up to ${COUNTED_TO}`,
    registers,
    async collect() {
      const { due, seconds } = await waiting(db);
      this.set(due);
      oldest.set(seconds ?? 0);
    },
  });
  new Gauge({
    name: 'feira_deliveries_in_flight',
    help: 'Deliveries that this process is sending',
    registers,
    collect() {
      this.set(dispatcher.inFlight);
    },
  });
  for (const outcome of ['delivered', 'failed'] as const) {
    new Gauge({
      name: `feira_deliveries_${outcome}_total`,
      help: `Deliveries that this process has seen ${outcome === 'failed' ? 'fail for good' : 'through'}`,
      registers,
      collect() {
        this.set(dispatcher.counts[outcome]);
      },
    });
  }
}

async function waiting(db: Share): Promise<{ due: number; seconds: number | null }> {
  const [row] = await db.query<{ due: number; seconds: number | null }>(sql`
    select count(*) as due, extract(epoch from now() - min(since)) as seconds
    from (
      select d.since from delivery_queues q, lateral (
        select greatest(d.next_at, d.created_at) as since from deliveries d
        where d.workspace_id = q.workspace_id and d.webhook_id = q.webhook_id and d.status = 'pending' and d.next_at <= now()
        order by d.next_at limit ${COUNTED_TO}
      ) d where q.next_at <= now() limit ${COUNTED_TO}
    ) waiting`);
  return row!;
}
