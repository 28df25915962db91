import type { Line } from '../catalog/reserve.js';
import type { Clock } from '../platform/clock.js';
import { deleteInBatches } from '../platform/db/delete-in-batches.js';
import type { Share, Tx } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import { unitsOf } from './items.js';
import type { NewOrder } from './record-orders.js';
import { CheckoutRefused } from './refused.js';
import type { OrderRequest } from './request.js';
import { PER_SHOP, type Use, windowStart } from './shop-use.js';

// Buyers need no account, and an order reserves stock before it is paid. Without limits, one client could reserve
// everything.

/**
 * The limits for one client network (an IPv4 address or an IPv6 /64). They are generous because many customers of a
 * mobile carrier share one address.
 */
const PER_NETWORK = {
  /** Orders placed in ten minutes across all shops, paid or not. */
  placed: 30,
  /** Unpaid orders in one shop. */
  open: 10,
  /** Unpaid boleto (bank slip) orders in one shop. They reserve stock for days. */
  openBoletos: 3,
  /**
   * Units reserved by unpaid orders in one shop. If there are no other unpaid orders, an order may exceed this, up to
   * the store's maximum per order.
   */
  units: 200,
};

export interface StoreLimits {
  maxUnitsPerLine: number;
  maxUnitsPerOrder: number;
}

export function checkUnits(lines: Line[], { maxUnitsPerLine, maxUnitsPerOrder }: StoreLimits): void {
  if (lines.some(({ quantity }) => quantity > maxUnitsPerLine) || unitsOf(lines) > maxUnitsPerOrder)
    throw new CheckoutRefused('too_many_units');
}

type NetworkUse = Use & { boletos: number };

/** How much of their limits the networks of the buyers and the whole shop have used. */
export interface LimitUse {
  networks: Map<string, NetworkUse>;
  shop: Use;
}

/**
 * Counts the orders and units to which the limits apply. Call this after lockCheckouts(), so that the orders of each
 * network are counted exactly, and before any product is locked, so that products are locked for less time. Concurrent
 * checkouts from different networks do not see each other's orders, so together they may exceed a limit of the shop
 * slightly. An exact count would make them wait for each other.
 */
export async function readUse(
  tx: Tx,
  clock: Clock,
  workspaceId: string,
  requests: OrderRequest[],
): Promise<LimitUse> {
  const limited = requests.flatMap((request) => request.limited ?? []);
  if (limited.length === 0) return { networks: new Map(), shop: { placed: 0, open: 0, units: 0 } };
  const names = limited.map(({ network }) => network);
  const [networks, shop] = await Promise.all([
    tx.query<NetworkUse & { name: string }>(sql`
      select network.name, use.* from unnest((select ${names}::text[])) as network(name), lateral (
        select count(*) filter (where r.placed_at > ${windowStart(clock)}) as placed,
          count(*) filter (where ${workspaceId}::uuid = o.workspace_id and o.status = 'pending') as open,
          count(*) filter (where ${workspaceId}::uuid = o.workspace_id and o.status = 'pending'
            and o.payment_method = 'boleto') as boletos,
          coalesce(sum(r.units) filter (where ${workspaceId}::uuid = o.workspace_id and o.status = 'pending'), 0)::integer as units
        from checkout_reservations r join orders o on o.workspace_id = r.workspace_id and o.id = r.order_id
        where r.network = network.name
      ) use`),
    limited[0]!.shopUses.read(tx, workspaceId),
  ]);
  return { networks: new Map(networks.map(({ name, ...use }) => [name, use])), shop };
}

/** Throws if the order would exceed a limit of the buyer's network or of the shop. */
export function checkUse(
  { networks, shop }: LimitUse,
  networkName: string,
  order: { method: string; units: number },
): void {
  const network = networks.get(networkName)!;
  const isOverForNetwork =
    network.placed >= PER_NETWORK.placed ||
    network.open >= PER_NETWORK.open ||
    (order.method === 'boleto' && network.boletos >= PER_NETWORK.openBoletos) ||
    (network.open > 0 && network.units + order.units > PER_NETWORK.units);
  if (isOverForNetwork) throw new CheckoutRefused('address_limit');
  const isOverForShop =
    shop.placed >= PER_SHOP.placed || shop.open >= PER_SHOP.open || shop.units + order.units > PER_SHOP.units;
  if (isOverForShop) throw new CheckoutRefused('shop_limit');
}

/** Records the orders to which the limits apply. */
export async function noteReservations(
  tx: Tx,
  clock: Clock,
  workspaceId: string,
  orders: NewOrder[],
): Promise<void> {
  const rows = orders.flatMap(({ orderId, lines, request: { limited } }) =>
    limited ? { orderId, network: limited.network, units: unitsOf(lines) } : [],
  );
  if (rows.length === 0) return;
  await tx.query(sql`
    insert into checkout_reservations (workspace_id, order_id, network, units, placed_at)
    select ${workspaceId}, row.order_id, row.network, row.units, ${new Date(clock.now()).toISOString()}
    from unnest((select ${rows.map(({ orderId }) => orderId)}::uuid[]), (select ${rows.map(({ network }) => network)}::text[]),
      (select ${rows.map(({ units }) => units)}::integer[])) as row(order_id, network, units)`);
}

/** Deletes reservation records of orders that no limit counts any more, so that the networks of buyers are not kept. */
export async function purgeReservations(db: Share, clock: Clock): Promise<void> {
  await deleteInBatches(
    db,
    'checkout_reservations',
    sql`placed_at <= ${windowStart(clock)} and not exists (
      select from orders o where o.workspace_id = checkout_reservations.workspace_id
        and o.id = checkout_reservations.order_id and o.status = 'pending')`,
  );
}
