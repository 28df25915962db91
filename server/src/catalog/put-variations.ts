import type { Origin } from '../events/names.js';
import type { Tx } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import { invalid } from '../platform/http/errors.js';
import { newId } from '../platform/schema/ids.js';
import { lockVariations } from './lock-variations.js';
import { codeOf, type VariationRecord } from './records.js';
import { type Listed, MAX_COMBINATIONS, readStructure, type VariationsPut } from './variation-structure.js';
import {
  rejectDuplicateSku,
  replaceVariations,
  type StoredVariation,
  type VariationType,
} from './variations.js';

/**
 * Creates or updates variations by combination, and returns the variations of the product. Existing combinations that
 * are not listed are kept, unless `prune` is set.
 */
export async function putVariations(
  tx: Tx,
  workspaceId: string,
  origin: Origin,
  productId: string,
  structure: VariationsPut,
  prune: boolean,
): Promise<VariationRecord[]> {
  const { types, listed } = readStructure(structure);
  const { product, variations: before } = await lockVariations(tx, workspaceId, productId);
  const labels = new Set(listed.map((entry) => entry.label));
  const unlisted = prune ? [] : before.filter((variation) => !labels.has(variation.combination));
  refuseUndeclared(unlisted, types);
  if (unlisted.length + listed.length > MAX_COMBINATIONS) {
    throw invalid([
      {
        field: 'combinations',
        message: `would result in ${unlisted.length + listed.length} combinations; the maximum per product is ${MAX_COMBINATIONS}`,
      },
    ]);
  }
  const existing = new Map(before.map((variation) => [variation.combination, variation]));
  const after = [
    ...unlisted,
    ...listed.map((entry) => upserted(entry, existing.get(entry.label), product.price)),
  ];
  inDeclaredOrder(after, types);
  const typesChanged = !(await hasTypes(tx, workspaceId, productId, types));
  return replaceVariations(
    tx,
    workspaceId,
    origin,
    productId,
    before,
    after,
    typesChanged ? types : undefined,
  );
}

/** Returns the types and variations of a product that is being created. */
export function newVariations(
  structure: VariationsPut,
  productPrice: number,
): { types: VariationType[]; variations: StoredVariation[] } {
  const { types, listed } = readStructure(structure);
  const variations = listed.map((entry) => upserted(entry, undefined, productPrice));
  inDeclaredOrder(variations, types);
  rejectDuplicateSku(variations);
  return { types, variations };
}

function upserted(entry: Listed, old: StoredVariation | undefined, productPrice: number): StoredVariation {
  return {
    id: old?.id ?? newId(),
    position: 0,
    combination: entry.label,
    options: entry.options,
    sku: entry.sku === undefined ? (old?.sku ?? null) : codeOf(entry.sku),
    ean: entry.ean === undefined ? (old?.ean ?? null) : codeOf(entry.ean),
    price: entry.price ?? old?.price ?? productPrice,
    quantity: entry.quantity ?? old?.quantity ?? 0,
  };
}

/** Sorts variations by the declared order of their options (first type, then second, then third) and sets positions. */
function inDeclaredOrder(variations: StoredVariation[], types: VariationType[]): void {
  const ranks = types.map(({ options }) => new Map(options.map((option, rank) => [option, rank])));
  const rankOf = ({ options }: StoredVariation) =>
    options.reduce((sum, option, i) => sum * 100 + (ranks[i]?.get(option) ?? 0), 0);
  variations.sort((a, b) => rankOf(a) - rankOf(b));
  variations.forEach((variation, position) => {
    variation.position = position;
  });
}

function refuseUndeclared(unlisted: StoredVariation[], types: VariationType[]): void {
  const faults = unlisted
    .filter(
      ({ options }) =>
        options.length !== types.length || !options.every((option, i) => types[i]!.options.includes(option)),
    )
    .map(({ combination }) => ({
      field: 'types',
      message: `no longer declare the options of the existing combination "${combination}"; declare them, or delete all unlisted combinations with ?prune=true`,
    }));
  if (faults.length > 0) throw invalid(faults);
}

async function hasTypes(
  tx: Tx,
  workspaceId: string,
  productId: string,
  types: VariationType[],
): Promise<boolean> {
  const [row] = await tx.query<{ same: boolean }>(sql`
    select variation_types = ${JSON.stringify(types)}::jsonb as same from products
    where workspace_id = ${workspaceId} and id = ${productId}`);
  return row?.same ?? false;
}
