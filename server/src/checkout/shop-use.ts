import type { Clock } from '../platform/clock.js';
import type { Tx } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';

/** How much of its limits a network or shop has used: orders of the last ten minutes, unpaid orders and their units. */
export interface Use {
  placed: number;
  open: number;
  units: number;
}

export const WINDOW_MS = 10 * 60 * 1000;

/** The limits for all buyers of one shop together: orders in ten minutes, unpaid orders and their units. */
export const PER_SHOP: Use = { placed: 3_000, open: 2_000, units: 20_000 };

const REUSED_MS = 1_000;
const MAX_SHOPS = 1_000;

/**
 * Counts the recent and the unpaid orders of shops. In a shop with 500 recent orders a count takes 2 ms, so while a
 * shop is below half of each limit, its counts are reused for a second. Orders placed by this process meanwhile are
 * added. Orders placed by other processes, or while a count is running, may be missing until the next count. From half
 * of a limit on, every transaction of a checkout counts the orders again.
 */
export class ShopUses {
  private readonly counted = new Map<string, { use: Use; at: number }>();

  constructor(private readonly clock: Clock) {}

  async read(tx: Tx, workspaceId: string): Promise<Use> {
    const known = this.counted.get(workspaceId);
    if (known && this.clock.monotonic() - known.at < REUSED_MS && isBelowHalf(known.use)) return known.use;
    const at = this.clock.monotonic();
    const use = await countOrders(tx, this.clock, workspaceId);
    this.remember(workspaceId, { use, at });
    return use;
  }

  /** Adds a new order to the last count of its shop. */
  add(workspaceId: string, units: number): void {
    const known = this.counted.get(workspaceId);
    if (known) known.use = withOrder(known.use, units);
  }

  private remember(workspaceId: string, counted: { use: Use; at: number }): void {
    this.counted.delete(workspaceId);
    this.counted.set(workspaceId, counted);
    if (this.counted.size > MAX_SHOPS) this.counted.delete(this.counted.keys().next().value as string);
  }
}

/** Returns the use after another order. */
export function withOrder(use: Use, units: number): Use {
  return { placed: use.placed + 1, open: use.open + 1, units: use.units + units };
}

function isBelowHalf({ placed, open, units }: Use): boolean {
  return placed < PER_SHOP.placed / 2 && open < PER_SHOP.open / 2 && units < PER_SHOP.units / 2;
}

async function countOrders(tx: Tx, clock: Clock, workspaceId: string): Promise<Use> {
  const [use] = await tx.query<Use>(sql`
    select (
        select count(*) from checkout_reservations
        where workspace_id = ${workspaceId} and placed_at > ${windowStart(clock)}
      ) as placed,
      count(*) as open, coalesce(sum(r.units), 0)::bigint as units
    from orders o join checkout_reservations r on r.workspace_id = o.workspace_id and r.order_id = o.id
    where o.workspace_id = ${workspaceId} and o.status = 'pending'`);
  return use!;
}

export function windowStart(clock: Clock): string {
  return new Date(clock.now() - WINDOW_MS).toISOString();
}
