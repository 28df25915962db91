import type { Tx } from '../platform/db.js';
import { type FaultDetail, invalid } from '../platform/errors.js';
import { newId } from '../platform/ids.js';
import { sql } from '../platform/sql.js';
import { lockProduct } from './products.js';
import { codeOf } from './records.js';
import { MAX_COMBINATIONS, type VariationsPut } from './schema.js';
import { replaceVariations, type StoredVariation, type VariationType, variationsOf } from './variations.js';

type Listed = VariationsPut['combinations'][number] & { options: string[]; label: string };

const SEPARATOR = ' - ';

/**
 * What can be judged without the product: the structure is sound, and every combination listed picks one declared
 * option of each type. Answers the combinations with their options and labels worked out.
 */
export function readStructure({ types, combinations }: VariationsPut): Listed[] {
  const faults = doubledNames(types);
  const seen = new Set<string>();
  const listed = combinations.flatMap((entry, index): Listed[] => {
    const at = `combinations[${index}]`;
    const options = optionsOf(entry, types);
    if (typeof options === 'string') {
      faults.push({ field: at, message: options });
      return [];
    }
    const label = options.join(SEPARATOR);
    if (seen.has(label)) faults.push({ field: at, message: `"${label}" stands twice` });
    seen.add(label);
    return [{ ...entry, options, label }];
  });
  if (faults.length > 0) throw invalid(faults);
  return listed;
}

/** Upserts by combination. What exists and is not listed stays, unless `prune`. */
export async function putVariations(
  tx: Tx,
  workspaceId: string,
  productId: string,
  types: VariationType[],
  listed: Listed[],
  prune: boolean,
): Promise<void> {
  const product = await lockProduct(tx, workspaceId, productId);
  const before = await variationsOf(tx, workspaceId, productId);
  const labels = new Set(listed.map((entry) => entry.label));
  const unlisted = prune ? [] : before.filter((variation) => !labels.has(variation.combination));
  refuseUndeclared(unlisted, types);
  if (unlisted.length + listed.length > MAX_COMBINATIONS) {
    throw invalid([
      {
        field: 'combinations',
        message: `would make ${unlisted.length + listed.length}; a product has at most ${MAX_COMBINATIONS}`,
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
  await replaceVariations(tx, workspaceId, productId, before, after, typesChanged ? types : undefined);
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

/** As a shop shows them: by the first type's options, then by the second's. */
function inDeclaredOrder(variations: StoredVariation[], types: VariationType[]): void {
  const ranks = types.map(({ options }) => new Map(options.map((option, rank) => [option, rank])));
  const rankOf = ({ options }: StoredVariation) =>
    options.reduce((sum, option, i) => sum * 100 + (ranks[i]?.get(option) ?? 0), 0);
  variations.sort((a, b) => rankOf(a) - rankOf(b));
  variations.forEach((variation, position) => {
    variation.position = position;
  });
}

/** A label is read from the left, one type after the other; an option may itself contain the separator. */
function optionsOf(entry: VariationsPut['combinations'][number], types: VariationType[]): string[] | string {
  if (types.length === 0) return 'cannot exist without types';
  if (entry.options) {
    const fits =
      entry.options.length === types.length &&
      entry.options.every((option, i) => types[i]!.options.includes(option));
    return fits
      ? entry.options
      : `options must name one declared option of each type: ${types.map((type) => type.name).join(', ')}`;
  }
  return (
    split(entry.combination as string, types) ??
    `"${entry.combination}" is not made of one declared option of each type: ${types.map((type) => type.name).join(', ')}`
  );
}

function split(label: string, [type, ...rest]: VariationType[]): string[] | undefined {
  if (!type) return undefined;
  if (rest.length === 0) return type.options.includes(label) ? [label] : undefined;
  for (const option of type.options) {
    if (!label.startsWith(option + SEPARATOR)) continue;
    const others = split(label.slice(option.length + SEPARATOR.length), rest);
    if (others) return [option, ...others];
  }
  return undefined;
}

function doubledNames(types: VariationType[]): FaultDetail[] {
  const faults: FaultDetail[] = [];
  const names = types.map((type) => type.name);
  types.forEach(({ name, options }, index) => {
    if (names.indexOf(name) !== index)
      faults.push({ field: `types[${index}].name`, message: `"${name}" stands twice` });
    options.forEach((option, i) => {
      if (options.indexOf(option) !== i)
        faults.push({ field: `types[${index}].options[${i}]`, message: `"${option}" stands twice` });
    });
  });
  return faults;
}

function refuseUndeclared(unlisted: StoredVariation[], types: VariationType[]): void {
  const faults = unlisted
    .filter(
      ({ options }) =>
        options.length !== types.length || !options.every((option, i) => types[i]!.options.includes(option)),
    )
    .map(({ combination }) => ({
      field: 'types',
      message: `no longer declare the options of the existing combination "${combination}"; declare them or send ?prune=true`,
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
