import type { Line, Sellable } from '../catalog/reserve.js';

/** A quantity of a product or variation, with its price and stock at the time of reading. */
export interface PricedItem {
  sellable: Sellable;
  quantity: number;
}

/** A cart line that cannot be bought. `gone`: the product or variation no longer exists. `short`: too little stock. */
export type CheckoutFault = { line: Line; problem: 'gone' | 'short'; available: number };

/** Finds the price and stock of each line. */
export function findItems(
  sellables: Sellable[],
  lines: Line[],
): { items: PricedItem[]; faults: CheckoutFault[] } {
  const faults: CheckoutFault[] = [];
  const items = lines.flatMap((line) => {
    const sellable = sellables.find(
      ({ productId, variantId }) => productId === line.productId && variantId === line.variantId,
    );
    const available = sellable?.stock ?? 0;
    if (!sellable) faults.push({ line, problem: 'gone', available: 0 });
    else if (available < line.quantity) faults.push({ line, problem: 'short', available });
    return sellable ? [{ sellable, quantity: line.quantity }] : [];
  });
  return { items, faults };
}

/** Adds up lines of the same product and variation, because stock must be sufficient for their sum. */
export function mergeLines(lines: Line[]): Line[] {
  const merged = new Map<string, Line>();
  for (const line of lines) {
    const key = `${line.productId} ${line.variantId}`;
    merged.set(key, { ...line, quantity: line.quantity + (merged.get(key)?.quantity ?? 0) });
  }
  return [...merged.values()];
}

export function unitsOf(lines: Line[]): number {
  return lines.reduce((sum, { quantity }) => sum + quantity, 0);
}
