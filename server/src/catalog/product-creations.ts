import type { Origin } from '../events/names.js';
import { StoreBatcher } from '../platform/concurrency/store-batcher.js';
import type { Database } from '../platform/db/database.js';
import { togetherOrAlone } from '../platform/db/together-or-alone.js';
import {
  type CheckedProduct,
  type Creation,
  checkedProduct,
  createdJson,
  createProducts,
} from './create-product.js';
import type { NewProduct } from './schema.js';

const MAX_BATCH = 16;

/**
 * A product with more variations is created alone: it gains little from sharing a statement, would delay the others, and
 * several of them in one statement could reach its timeout.
 */
const MAX_SHARED_VARIATIONS = 32;

/**
 * Combines the creations of products that arrive for the same store at the same time into one statement and one commit,
 * because most of the time of a small one is spent on the statement and not on the product. If another transaction has
 * inserted the name of a product and not ended yet, the products of the statement wait for it. They use their store's
 * share of the connections, so that other stores do not wait.
 */
export class ProductCreations {
  private readonly batches = new StoreBatcher(MAX_BATCH, (workspaceId, products: CheckedProduct[]) =>
    togetherOrAlone(products, (some) => this.createAll(workspaceId, some)),
  );

  constructor(private readonly db: Database) {}

  /** Creates a product and returns its JSON. */
  async create(workspaceId: string, origin: Origin, input: NewProduct): Promise<string | Buffer> {
    const product = checkedProduct(origin, input);
    const isShared = product.variations.length <= MAX_SHARED_VARIATIONS;
    const creation = isShared
      ? await this.batches.submit(workspaceId, product)
      : (await this.createAll(workspaceId, [product]))[0]!;
    return createdJson(product, creation);
  }

  private createAll(workspaceId: string, products: CheckedProduct[]): Promise<Creation[]> {
    return createProducts(this.db.store(workspaceId).autocommit, workspaceId, products);
  }
}
