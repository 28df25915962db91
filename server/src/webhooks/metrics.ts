import { Counter, Gauge, type Registry } from 'prom-client';
import type { Share } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import { cachedFor } from '../platform/observability/cached-for.js';
import { inTime } from '../platform/observability/health.js';
import type { Dispatcher } from './dispatcher.js';

const COUNTED_TO = 100_000;
const CACHE_MS = 1_000;

/**
 * Due deliveries are counted in the database when the metrics are scraped. Each process counts its completed deliveries
 * itself. While the database is down, the metrics that need it are left out and `feira_database_up` is 0. The scrape
 * still succeeds, because alerts need the other metrics.
 */
export function measureDeliveries(registry: Registry, db: Share, dispatcher: Dispatcher): void {
  const registers = [registry];
  const readWaiting = cachedFor(CACHE_MS, () => inTime(() => waiting(db)).catch(() => undefined));
  const up = new Gauge({
    name: 'feira_database_up',
    help: 'Whether the database answers',
    registers,
    collect: setFromDatabase,
  });
  const oldest = new Gauge({
    name: 'feira_deliveries_oldest_due_seconds',
    help: 'Seconds since the oldest due delivery became due',
    registers,
    collect: setFromDatabase,
  });
  const due = new Gauge({
    name: 'feira_deliveries_due',
    help: `Deliveries due now, counted up to ${COUNTED_TO}`,
    registers,
    collect: setFromDatabase,
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
    new Counter({
      name: `feira_deliveries_${outcome}_total`,
      help: `Deliveries of this process that ${outcome === 'failed' ? 'failed permanently' : 'were delivered'}`,
      registers,
      collect() {
        this.reset();
        this.inc(dispatcher.counts[outcome]);
      },
    });
  }

  async function setFromDatabase(): Promise<void> {
    const found = await readWaiting();
    up.set(found ? 1 : 0);
    oldest.remove();
    due.remove();
    if (!found) return;
    oldest.set(found.seconds ?? 0);
    due.set(found.due);
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
