import { type Line, readSellables } from '../catalog/reserve.js';
import type { PricedItem } from '../checkout/items.js';
import { subtotalOf } from '../checkout/price.js';
import type { Queryable } from '../platform/db/share.js';
import { isSame, lineName } from './cart.js';
import { coversOf } from './covers.js';

export interface CartLine {
  line: Line;
  /** The item with its price and stock. Undefined if the product is no longer for sale. */
  bought: PricedItem | undefined;
  cover: string | null;
}

export interface CartView {
  lines: CartLine[];
  /** The lines whose product is still for sale, even if its stock is too low. */
  items: PricedItem[];
  subtotal: number;
  /** Whether every line is still for sale and its stock is sufficient. */
  sellable: boolean;
}

/** Reads the cart with current prices and stock. */
export async function readCart(
  db: Queryable,
  workspaceId: string,
  mediaUrl: string,
  cart: Line[],
): Promise<CartView> {
  const ids = [...new Set(cart.map(({ productId }) => productId))];
  const [sellables, covers] = await Promise.all([
    readSellables(db, workspaceId, ids),
    coversOf(db, workspaceId, cart, mediaUrl),
  ]);
  const lines = cart.map((line) => {
    const sellable = sellables.find((each) => isSame(each, line));
    return {
      line,
      bought: sellable && { sellable, quantity: line.quantity },
      cover: covers.get(lineName(line)) ?? null,
    };
  });
  const items = lines.flatMap(({ bought }) => bought ?? []);
  const sellable =
    items.length === lines.length && items.every(({ sellable: { stock }, quantity }) => stock >= quantity);
  return { lines, items, subtotal: subtotalOf(items), sellable };
}
