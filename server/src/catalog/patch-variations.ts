import type { Origin } from '../events/names.js';
import type { Tx } from '../platform/db/share.js';
import { type FaultDetail, invalid } from '../platform/http/errors.js';
import { lockVariations } from './lock-variations.js';
import { codeOf, type VariationRecord } from './records.js';
import type { VariationsPatch } from './schema.js';
import { replaceVariations, type StoredVariation } from './variations.js';

type Entry = VariationsPatch['variants'][number];

/** Returns whether a change sets only quantities, which is all that the scope stock:write allows. */
export function setsOnlyQuantities({ variants }: VariationsPatch): boolean {
  return variants.every(
    ({ setSku, setEan, price }) => setSku === undefined && setEan === undefined && price === undefined,
  );
}

/** Applies all entries of a change, or none, and returns all variations of the product. */
export async function patchVariations(
  tx: Tx,
  workspaceId: string,
  origin: Origin,
  productId: string,
  { variants }: VariationsPatch,
): Promise<VariationRecord[]> {
  const { variations: before } = await lockVariations(tx, workspaceId, productId);
  const hits = matchEntries(variants, before);
  const after = before.map((variation) => {
    const entry = hits.get(variation.id);
    return entry ? changedBy(entry, variation) : variation;
  });
  return replaceVariations(tx, workspaceId, origin, productId, before, after);
}

/**
 * Assigns each entry to a variation. It is an error if the id or sku of an entry is unknown, if they belong to two
 * different variations, or if an earlier entry has the same variation.
 */
function matchEntries(entries: Entry[], variations: StoredVariation[]): Map<string, Entry> {
  const byId = new Map(variations.map((variation) => [variation.id, variation]));
  const bySku = new Map(
    variations.flatMap((variation) => (variation.sku === null ? [] : [[variation.sku, variation]])),
  );
  const hits = new Map<string, Entry>();
  const faults: FaultDetail[] = [];
  entries.forEach((entry, index) => {
    const at = `variants[${index}]`;
    const byGivenId = entry.id === undefined ? undefined : byId.get(entry.id);
    const byGivenSku = entry.sku === undefined ? undefined : bySku.get(entry.sku);
    if (entry.id !== undefined && !byGivenId)
      faults.push({ field: `${at}.id`, message: 'is not the id of a variation of this product' });
    if (entry.sku !== undefined && !byGivenSku)
      faults.push({ field: `${at}.sku`, message: 'is not the sku of a variation of this product' });
    if (byGivenId && byGivenSku && byGivenId !== byGivenSku) {
      faults.push({ field: at, message: 'has the id of one variation and the sku of another' });
      return;
    }
    const meant = byGivenId ?? byGivenSku;
    if (!meant) return;
    if (hits.has(meant.id)) faults.push({ field: at, message: 'repeats the variation of an earlier entry' });
    hits.set(meant.id, entry);
  });
  if (faults.length > 0) throw invalid(faults);
  return hits;
}

function changedBy(entry: Entry, variation: StoredVariation): StoredVariation {
  return {
    ...variation,
    sku: entry.setSku === undefined ? variation.sku : codeOf(entry.setSku),
    ean: entry.setEan === undefined ? variation.ean : codeOf(entry.setEan),
    price: entry.price ?? variation.price,
    quantity: entry.quantity ?? variation.quantity,
  };
}
