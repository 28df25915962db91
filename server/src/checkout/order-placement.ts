import type { Locking } from '../catalog/reserve.js';
import { ordersOf } from '../orders/storage.js';
import type { Clock } from '../platform/clock.js';
import { StoreBatcher } from '../platform/concurrency/store-batcher.js';
import type { Database } from '../platform/db/database.js';
import { isLockConflict, isTemporary } from '../platform/db/unavailable.js';
import { placeOrders } from './place-orders.js';
import type { OrderRequest, Placement } from './request.js';

/**
 * The maximum wait for a database connection. If hundreds of buyers order the same product at the same time, some wait
 * for its lock and the others for a connection. They are all limited to the store's share of the connections, so
 * a long wait does not affect other stores.
 */
const WAIT_MS = 20_000;

interface Waiting {
  request: OrderRequest;
  /** When the request gives up waiting for a connection, on the monotonic clock. */
  deadline: number;
}

/**
 * Places orders. Those that arrive for the same store at the same time are placed in one transaction, because most
 * statements cost nearly the same for one order as for several. An order is placed in a transaction of its own if it
 * shares a form, a network or a product with an earlier one, or if another transaction has locked one of these. So no
 * order waits for the product of another.
 */
export class OrderPlacement {
  private readonly batches = new StoreBatcher(16, (workspaceId, orders: Waiting[]) =>
    this.placeAll(workspaceId, orders),
  );

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly waitMs = WAIT_MS,
  ) {}

  place(workspaceId: string, request: OrderRequest): Promise<Placement> {
    return this.batches.submit(workspaceId, { request, deadline: this.clock.monotonic() + this.waitMs });
  }

  private async placeAll(
    workspaceId: string,
    orders: Waiting[],
  ): Promise<(Placement | Promise<Placement>)[]> {
    const placed = await this.tryToPlace(workspaceId, independentOf(orders));
    return orders.map((order) => placed.get(order) ?? this.placeAlone(workspaceId, order));
  }

  /**
   * Returns no results if a statement failed, because an error that one order causes must not affect the others. Throws
   * if the database is unreachable or overloaded, because that affects all of them.
   */
  private async tryToPlace(workspaceId: string, orders: Waiting[]): Promise<Map<Waiting, Placement>> {
    const placed = new Map<Waiting, Placement>();
    try {
      const results = await this.transaction(workspaceId, orders, 'skip');
      for (const [index, result] of results.entries())
        if (result !== 'locked') placed.set(orders[index]!, result);
    } catch (error) {
      if (isTemporary(error) && !isLockConflict(error)) throw error;
    }
    return placed;
  }

  private async placeAlone(workspaceId: string, order: Waiting): Promise<Placement> {
    const [result] = await this.transaction(workspaceId, [order], 'wait');
    return result as Placement;
  }

  private transaction(
    workspaceId: string,
    orders: Waiting[],
    locking: Locking,
  ): Promise<(Placement | 'locked')[]> {
    const requests = orders.map(({ request }) => request);
    const waitMs = Math.max(0, orders.at(-1)!.deadline - this.clock.monotonic());
    return ordersOf(this.db, workspaceId).transaction(
      (tx) => placeOrders(tx, this.clock, workspaceId, requests, locking),
      { waitMs },
    );
  }
}

/** Returns the orders that share no form, network or product with an earlier one. */
function independentOf(orders: Waiting[]): Waiting[] {
  const taken = new Set<string>();
  return orders.filter(({ request: { checkoutId, limited, lines } }) => {
    const needed = [`form ${checkoutId}`, ...lines.map(({ productId }) => productId)];
    if (limited) needed.push(`network ${limited.network}`);
    if (needed.some((name) => taken.has(name))) return false;
    for (const name of needed) taken.add(name);
    return true;
  });
}
