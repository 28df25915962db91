import type { Tx } from '../platform/db/share.js';
import { isId } from '../platform/schema/ids.js';
import { lockProduct } from './products.js';
import type { ProductRecord } from './records.js';
import { type StoredVariation, variationsOf } from './variations.js';

/** Locks a product and reads its variations. Both statements are sent at once and executed one after the other. */
export async function lockVariations(
  tx: Tx,
  workspaceId: string,
  productId: string,
): Promise<{ product: ProductRecord; variations: StoredVariation[] }> {
  const [product, variations] = await Promise.all([
    lockProduct(tx, workspaceId, productId),
    isId(productId) ? variationsOf(tx, workspaceId, productId) : [],
  ]);
  return { product, variations };
}
