import { type Line, readSellables, type Sellable } from '../catalog/reserve.js';
import type { PricedItem } from '../checkout/items.js';
import { subtotalOf } from '../checkout/price.js';
import { StoreBatcher } from '../platform/concurrency/store-batcher.js';
import type { Database } from '../platform/db/database.js';
import { lineName } from './cart.js';
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

/** Reads carts with current prices and stock. Up to 16 carts of a shop that are read at the same time share statements. */
export class CartReads {
  private readonly carts = new StoreBatcher(16, (workspaceId, carts: Line[][]) =>
    this.readAll(workspaceId, carts),
  );

  constructor(
    private readonly db: Database,
    private readonly mediaUrl: string,
  ) {}

  read(workspaceId: string, cart: Line[]): Promise<CartView> {
    return this.carts.submit(workspaceId, cart);
  }

  private async readAll(workspaceId: string, carts: Line[][]): Promise<CartView[]> {
    const db = this.db.store(workspaceId);
    const lines = carts.flat();
    const ids = [...new Set(lines.map(({ productId }) => productId))];
    const [sellables, covers] = await Promise.all([
      readSellables(db, workspaceId, ids),
      coversOf(db, workspaceId, lines, this.mediaUrl),
    ]);
    const forSale = new Map(sellables.map((sellable) => [lineName(sellable), sellable]));
    return carts.map((cart) => viewOf(cart, forSale, covers));
  }
}

/** The keys of both maps are made by lineName(). */
function viewOf(cart: Line[], forSale: Map<string, Sellable>, covers: Map<string, string>): CartView {
  const lines = cart.map((line) => {
    const sellable = forSale.get(lineName(line));
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
