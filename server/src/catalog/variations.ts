import type { Origin } from '../events/names.js';
import { emit, type NewEvent } from '../events/outbox.js';
import { variationStockUpdated, variationsUpdated } from '../events/product-events.js';
import type { Queryable, Tx } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import { conflict } from '../platform/http/errors.js';
import { listVariations } from './queries.js';
import type { VariationRecord } from './records.js';
import { refreshSearch } from './search.js';

/** A variation including fields that the API does not return. */
export interface StoredVariation extends Omit<VariationRecord, 'updatedAt'> {
  position: number;
  options: string[];
}

export interface VariationType {
  name: string;
  options: string[];
}

export async function variationsOf(
  db: Queryable,
  workspaceId: string,
  productId: string,
): Promise<StoredVariation[]> {
  return db.query<StoredVariation>(sql`
    select id, combination, sku, ean, price, quantity, position, options from variations
    where workspace_id = ${workspaceId} and product_id = ${productId} order by position`);
}

/**
 * Changes the variations of a product from one state to another, emits the events, and returns the variations as the
 * API shows them. The caller has locked the product. PUT and PATCH of variants both use this function. They compute the
 * new state differently, and only PUT changes the types.
 */
export async function replaceVariations(
  tx: Tx,
  workspaceId: string,
  origin: Origin,
  productId: string,
  before: StoredVariation[],
  after: StoredVariation[],
  types?: VariationType[],
): Promise<VariationRecord[]> {
  rejectDuplicateSku(after);
  const old = new Map(before.map((variation) => [variation.id, variation]));
  const kept = new Set(after.map((variation) => variation.id));
  const gone = before.filter((variation) => !kept.has(variation.id));
  const stored = after.filter((variation) => !isSame(old.get(variation.id), variation));
  const changed = stored.filter((variation) => !isSameToReader(old.get(variation.id), variation));
  const read = () => listVariations(tx, workspaceId, productId) as Promise<VariationRecord[]>;
  if (stored.length === 0 && gone.length === 0 && !types) return read();

  const isSearchOutdated =
    gone.length > 0 || changed.some((variation) => isFoundDifferently(old.get(variation.id), variation));
  const events = [
    variationsUpdated(productId, changed.length + gone.length),
    ...changedBalances(productId, before, after),
  ];
  // No statement needs a value that an earlier one returns, so all are sent at once. PostgreSQL executes them in order.
  const [, , , , , variations] = await tx.last(() =>
    Promise.all([
      remove(tx, workspaceId, productId, gone),
      upsert(tx, workspaceId, productId, stored),
      storeSummary(tx, workspaceId, productId, before, after, types),
      isSearchOutdated && refreshSearch(tx, workspaceId, productId),
      emit(tx, workspaceId, origin, events),
      read(),
    ]),
  );
  return variations;
}

/** Writes the columns of the product that follow from its variations. */
async function storeSummary(
  tx: Tx,
  workspaceId: string,
  productId: string,
  before: StoredVariation[],
  after: StoredVariation[],
  types: VariationType[] | undefined,
): Promise<void> {
  // A product that declares types but no combinations is still a simple product with its own stock.
  const staysSimple = before.length === 0 && after.length === 0;
  const sum = after.reduce((total, { quantity }) => total + quantity, 0);
  await tx.query(sql`
    update products p set updated_at = now(), has_variants = ${after.length > 0}, variations_from = ${lowestPrice(after)}::numeric,
      quantity = coalesce(${staysSimple ? null : sum}::bigint, p.quantity),
      variation_types = coalesce(${types ? JSON.stringify(types) : null}::jsonb, variation_types)
    where p.workspace_id = ${workspaceId} and p.id = ${productId}`);
}

/** Returns the value for products.variations_from: the lowest price, or null if there are no variations. */
export function lowestPrice(variations: { price: number }[]): number | null {
  return variations.length > 0 ? Math.min(...variations.map(({ price }) => price)) : null;
}

/**
 * Returns the stock events of a change. Receivers identify a balance by its SKU. If a new variation takes over the SKU
 * of a removed one, an event is emitted only if the two balances differ, and no 0 is reported for the removed one. All
 * variations without a SKU are reported with an empty SKU. The zeros of removed variations therefore come first; a
 * later 0 would look like the current balance of another variation.
 */
function changedBalances(productId: string, before: StoredVariation[], after: StoredVariation[]): NewEvent[] {
  const old = new Map(before.map(({ id, quantity }) => [id, quantity]));
  const kept = new Set(after.map(({ id }) => id));
  const gone = before.filter(({ id }) => !kept.has(id));
  const left = new Map(gone.map(({ sku, quantity }) => [sku, quantity]));
  const present = new Set(after.map(({ sku }) => sku));
  const emptied = gone.filter(({ sku, quantity }) => quantity > 0 && (sku === null || !present.has(sku)));
  const changed = after.filter(({ id, sku, quantity }) => {
    const taken = sku === null ? 0 : (left.get(sku) ?? 0);
    return quantity !== (old.get(id) ?? taken);
  });
  return [
    ...emptied.map(({ sku }) => variationStockUpdated(productId, sku, 0)),
    ...changed.map(({ sku, quantity }) => variationStockUpdated(productId, sku, quantity)),
  ];
}

/** Checks the final state, so that a swap of two SKUs is accepted. A unique constraint enforces the same rule. */
export function rejectDuplicateSku(variations: StoredVariation[]): void {
  const seen = new Map<string, string>();
  for (const { sku, combination } of variations) {
    if (sku === null) continue;
    const other = seen.get(sku);
    if (other !== undefined) {
      throw conflict(
        'duplicate_sku',
        `Two variations of this product would have the sku "${sku}": ${other} and ${combination}`,
      );
    }
    seen.set(sku, combination);
  }
}

function isSameToReader(a: StoredVariation | undefined, b: StoredVariation): boolean {
  return (
    !!a &&
    a.combination === b.combination &&
    a.price === b.price &&
    a.quantity === b.quantity &&
    !isFoundDifferently(a, b)
  );
}

function isFoundDifferently(a: StoredVariation | undefined, b: StoredVariation): boolean {
  return (a?.sku ?? null) !== b.sku || (a?.ean ?? null) !== b.ean;
}

function isSame(a: StoredVariation | undefined, b: StoredVariation): boolean {
  return isSameToReader(a, b) && a?.position === b.position && a.options.join('\0') === b.options.join('\0');
}

async function remove(
  tx: Tx,
  workspaceId: string,
  productId: string,
  gone: StoredVariation[],
): Promise<void> {
  if (gone.length === 0) return;
  await tx.query(sql`
    delete from variations where workspace_id = ${workspaceId} and product_id = ${productId}
      and id = any(${gone.map((variation) => variation.id)}::uuid[])`);
}

async function upsert(
  tx: Tx,
  workspaceId: string,
  productId: string,
  stored: StoredVariation[],
): Promise<void> {
  if (stored.length === 0) return;
  await tx.query(sql`
    insert into variations (workspace_id, product_id, id, position, combination, options, sku, ean, price, quantity)
    select ${workspaceId}, ${productId}, v.id, v.position, v.combination, v.options, v.sku, v.ean, v.price, v.quantity
    from jsonb_to_recordset(${JSON.stringify(stored)}::jsonb) as v(id uuid, position integer, combination text,
      options text[], sku text, ean text, price numeric, quantity integer)
    on conflict (workspace_id, product_id, id) do update set
      position = excluded.position, combination = excluded.combination, options = excluded.options,
      sku = excluded.sku, ean = excluded.ean, price = excluded.price, quantity = excluded.quantity`);
}
