import type { Line } from '../catalog/reserve.js';
import type { Clock } from '../platform/clock.js';
import { deleteInBatches } from '../platform/db/delete-in-batches.js';
import type { Share, Tx } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import { CheckoutRefused } from './refused.js';

// Buyers need no account, and an order reserves stock before it is paid. Without limits, one client could reserve
// everything.

export const WINDOW_MS = 10 * 60 * 1000;

/**
 * The limits for one client network (an IPv4 address or an IPv6 /64). They are generous because many customers of a
 * mobile carrier share one address.
 */
const PER_NETWORK = {
  /** Orders placed in ten minutes across all shops, paid or not. */
  placed: 30,
  /** Unpaid orders in one shop. */
  open: 10,
  /** Unpaid boleto orders in one shop. They reserve stock for days. */
  openBoletos: 3,
  /**
   * Units reserved by unpaid orders in one shop. A first unpaid order may exceed this, up to the merchant's maximum.
   */
  units: 200,
};

/** The limits for all buyers of one shop together. */
const PER_SHOP = { placed: 3_000, open: 2_000, units: 20_000 };

export interface StoreLimits {
  maxUnitsPerLine: number;
  maxUnitsPerOrder: number;
}

export function checkUnits(lines: Line[], { maxUnitsPerLine, maxUnitsPerOrder }: StoreLimits): void {
  if (lines.some(({ quantity }) => quantity > maxUnitsPerLine) || unitsOf(lines) > maxUnitsPerOrder)
    throw new CheckoutRefused('too_many_units');
}

export function unitsOf(lines: Line[]): number {
  return lines.reduce((sum, { quantity }) => sum + quantity, 0);
}

/** What a network or shop has used of its limits: orders of the last ten minutes, unpaid orders, and their units. */
interface Use {
  placed: number;
  open: number;
  units: number;
}

/** Makes checkouts from one network wait for each other, so that their orders are counted exactly. */
export async function lockNetwork(tx: Tx, network: string): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`checkout from ${network}`}, 0))`);
}

/** Call it after lockNetwork(), so that the count is exact, and before locking products, to keep those locks short. */
export async function checkNetwork(
  tx: Tx,
  clock: Clock,
  workspaceId: string,
  network: string,
  order: { method: string; units: number },
): Promise<void> {
  const [used] = await tx.query<Use & { boletos: number }>(sql`
    select count(*) filter (where r.placed_at > ${since(clock)}) as placed,
      count(*) filter (where ${workspaceId}::uuid = o.workspace_id and o.status = 'pending') as open,
      count(*) filter (where ${workspaceId}::uuid = o.workspace_id and o.status = 'pending'
        and o.payment_method = 'boleto') as boletos,
      coalesce(sum(r.units) filter (where ${workspaceId}::uuid = o.workspace_id and o.status = 'pending'), 0)::integer as units
    from checkout_reservations r join orders o on o.workspace_id = r.workspace_id and o.id = r.order_id
    where r.network = ${network}`);
  const { placed, open, boletos, units } = used!;
  const isOver =
    placed >= PER_NETWORK.placed ||
    open >= PER_NETWORK.open ||
    (order.method === 'boleto' && boletos >= PER_NETWORK.openBoletos) ||
    (open > 0 && units + order.units > PER_NETWORK.units);
  if (isOver) throw new CheckoutRefused('address_limit');
}

/**
 * Concurrent checkouts of a shop do not see each other's orders, so together they may exceed the limit slightly. An
 * exact count would make them wait for each other.
 */
export async function checkShop(tx: Tx, clock: Clock, workspaceId: string, newUnits: number): Promise<void> {
  const [used] = await tx.query<Use>(sql`
    select (
        select count(*) from checkout_reservations where workspace_id = ${workspaceId} and placed_at > ${since(clock)}
      ) as placed,
      count(*) as open, coalesce(sum(r.units), 0)::bigint as units
    from orders o join checkout_reservations r on r.workspace_id = o.workspace_id and r.order_id = o.id
    where o.workspace_id = ${workspaceId} and o.status = 'pending'`);
  const { placed, open, units } = used!;
  if (placed >= PER_SHOP.placed || open >= PER_SHOP.open || units + newUnits > PER_SHOP.units)
    throw new CheckoutRefused('shop_limit');
}

export async function noteReservation(
  tx: Tx,
  clock: Clock,
  workspaceId: string,
  reservation: { orderId: string; network: string; units: number },
): Promise<void> {
  const { orderId, network, units } = reservation;
  await tx.query(sql`
    insert into checkout_reservations (workspace_id, order_id, network, units, placed_at)
    values (${workspaceId}, ${orderId}, ${network}, ${units}, ${new Date(clock.now()).toISOString()})`);
}

/** Deletes the stored networks of all orders that no limit counts any more. */
export async function purgeReservations(db: Share, clock: Clock): Promise<void> {
  await deleteInBatches(
    db,
    'checkout_reservations',
    sql`placed_at <= ${since(clock)} and not exists (
      select from orders o where o.workspace_id = checkout_reservations.workspace_id
        and o.id = checkout_reservations.order_id and o.status = 'pending')`,
  );
}

function since(clock: Clock): string {
  return new Date(clock.now() - WINDOW_MS).toISOString();
}
