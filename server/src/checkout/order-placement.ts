import type { Locking } from '../catalog/reserve.js';
import { ordersOf } from '../orders/storage.js';
import type { Clock } from '../platform/clock.js';
import { StoreBatcher } from '../platform/concurrency/store-batcher.js';
import type { Database } from '../platform/db/database.js';
import { isTemporary } from '../platform/db/unavailable.js';
import { placeOrders } from './place-orders.js';
import type { OrderRequest, Placement } from './request.js';

/**
 * The maximum wait for a database connection. If hundreds of buyers order the same product at the same time, some wait
 * for its lock and the others for a connection. They are all limited to the store's share of the connections, so
 * a long wait does not affect other stores.
 */
const WAIT_MS = 20_000;

/**
 * Places orders. Those that arrive for the same store at the same time are placed in one transaction, because most
 * statements cost nearly the same for one order as for several. An order that cannot be placed together with the
 * others, because it shares a product or a network with one of them or because another transaction has locked its
 * product, is placed in a transaction of its own and waits only for its own locks.
 */
export class OrderPlacement {
  private readonly batches = new StoreBatcher(16, (workspaceId, requests: OrderRequest[]) =>
    this.placeAll(workspaceId, requests),
  );

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly waitMs = WAIT_MS,
  ) {}

  place(workspaceId: string, request: OrderRequest): Promise<Placement> {
    return this.batches.submit(workspaceId, request);
  }

  private async placeAll(
    workspaceId: string,
    requests: OrderRequest[],
  ): Promise<(Placement | Promise<Placement>)[]> {
    const placed = await this.tryToPlace(workspaceId, independentOf(requests));
    return requests.map((request) => placed.get(request) ?? this.placeAlone(workspaceId, request));
  }

  /**
   * Returns no results if a statement failed, because an error that one order causes must not affect the others. A
   * temporary error, such as a timeout, affects all of them.
   */
  private async tryToPlace(
    workspaceId: string,
    requests: OrderRequest[],
  ): Promise<Map<OrderRequest, Placement>> {
    const placed = new Map<OrderRequest, Placement>();
    try {
      const results = await this.transaction(workspaceId, requests, 'skip');
      for (const [index, result] of results.entries())
        if (result !== 'locked') placed.set(requests[index]!, result);
    } catch (error) {
      if (isTemporary(error)) throw error;
    }
    return placed;
  }

  private async placeAlone(workspaceId: string, request: OrderRequest): Promise<Placement> {
    const [result] = await this.transaction(workspaceId, [request], 'wait');
    return result as Placement;
  }

  private transaction(
    workspaceId: string,
    requests: OrderRequest[],
    locking: Locking,
  ): Promise<(Placement | 'locked')[]> {
    return ordersOf(this.db, workspaceId).transaction(
      (tx) => placeOrders(tx, this.clock, workspaceId, requests, locking),
      { waitMs: this.waitMs },
    );
  }
}

/** Returns the requests that share no form, network or product with an earlier one. */
function independentOf(requests: OrderRequest[]): OrderRequest[] {
  const taken = new Set<string>();
  return requests.filter(({ checkoutId, limited, lines }) => {
    const needed = [`form ${checkoutId}`, ...lines.map(({ productId }) => productId)];
    if (limited) needed.push(`network ${limited.network}`);
    if (needed.some((name) => taken.has(name))) return false;
    for (const name of needed) taken.add(name);
    return true;
  });
}
