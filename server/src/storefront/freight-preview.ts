import { readSellables } from '../catalog/reserve.js';
import { type DeliveryOption, deliveryOptions } from '../checkout/delivery-options.js';
import type { Queryable } from '../platform/db/share.js';
import type { Item, ItemVariation } from './item.js';
import { type PostalCodeFault, readPostalCode } from './postal-codes.js';

/** The delivery options for one unit, or what is wrong with the postal code. */
export interface FreightPreview {
  zip: string;
  options: DeliveryOption[];
  fault?: PostalCodeFault;
}

export async function previewFreight(
  db: Queryable,
  workspaceId: string,
  item: Item,
  chosen: ItemVariation | undefined,
  zip: string,
): Promise<FreightPreview> {
  const code = readPostalCode(zip);
  if ('fault' in code) return { zip: zip.slice(0, 20), options: [], fault: code.fault };
  const sellables = await readSellables(db, workspaceId, [item.id]);
  const sellable = sellables.find(({ variantId }) => variantId === (chosen?.id ?? null));
  return { zip, options: (sellable && deliveryOptions(code.value, [{ sellable, quantity: 1 }])) ?? [] };
}
