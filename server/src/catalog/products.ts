import { PRODUCT_FIELDS } from '../events/changed-fields.js';
import type { Origin } from '../events/names.js';
import { emit } from '../events/outbox.js';
import { productUpdated, stockUpdated } from '../events/product-events.js';
import type { Tx } from '../platform/db/share.js';
import { fixed, type Statement, sql } from '../platform/db/sql.js';
import { isUniqueViolation } from '../platform/db/sql-state.js';
import { type ApiError, conflict, type FaultDetail, invalid, notFound } from '../platform/http/errors.js';
import { isId } from '../platform/schema/ids.js';
import { codeOf, type ProductRecord, productColumns, storedName } from './records.js';
import type { ProductChange } from './schema.js';
import { refreshSearch } from './search.js';
import { quantityIsASum } from './variation-structure.js';

/**
 * Changes those fields that were sent with a new value, and returns the result of `read`, which sees the change. If no
 * value is new, neither the product nor its updatedAt changes, and no event is emitted.
 */
export async function updateProduct<T>(
  tx: Tx,
  workspaceId: string,
  origin: Origin,
  id: string,
  change: ProductChange,
  read: () => Promise<T>,
): Promise<T> {
  const before = await lockProduct(tx, workspaceId, id);
  const after = { ...before, ...knownFields(change) };
  const fields = CHANGEABLE.filter((field) => after[field] !== before[field]);

  const faults: FaultDetail[] = [];
  if (change.quantity !== undefined && before.hasVariants) faults.push(quantityIsASum());
  if (fields.includes('categoryId') && !(await categoryExists(tx, after.categoryId)))
    faults.push(noSuchCategory(after.categoryId));
  if (faults.length > 0) throw invalid(faults);
  if (fields.length === 0) return read();

  const isSearchOutdated = fields.some((field) => field === 'name' || field === 'sku' || field === 'ean');
  const events = [productUpdated(id, fields)];
  if (fields.includes('quantity')) events.push(stockUpdated(id, after.quantity));
  const [, , , , result] = await tx.last(() =>
    Promise.all([
      fields.includes('name') && serializeRenames(tx, workspaceId),
      storeProduct(tx, workspaceId, after),
      isSearchOutdated && refreshSearch(tx, workspaceId, id),
      emit(tx, workspaceId, origin, events),
      read(),
    ]),
  );
  return result;
}

export async function deleteProduct(tx: Tx, workspaceId: string, origin: Origin, id: string): Promise<void> {
  // The product is locked first, in a separate statement. A single DELETE that had to wait for the lock would not see
  // variations that a concurrent call committed meanwhile.
  await lockProduct(tx, workspaceId, id);
  await tx.last(() =>
    Promise.all([
      tx.query(sql`
        with
          variation as (delete from variations where workspace_id = ${workspaceId} and product_id = ${id}),
          image as (delete from product_images where workspace_id = ${workspaceId} and product_id = ${id} returning key),
          unused_files as (
            insert into files_to_delete (workspace_id, key) select ${workspaceId}::uuid, key from image where key is not null
          ),
          search as (delete from product_search where workspace_id = ${workspaceId} and product_id = ${id})
        delete from products where workspace_id = ${workspaceId} and id = ${id}`),
      emit(tx, workspaceId, origin, [{ event: 'product.deleted', data: { id } }]),
    ]),
  );
}

/** Every change to a product or its variations locks the product row first. This order prevents deadlocks. */
export async function lockProduct(tx: Tx, workspaceId: string, id: string): Promise<ProductRecord> {
  const [product] = isId(id) ? await tx.query<ProductRecord>(productForUpdate(workspaceId, id)) : [];
  if (!product) throw notFound('Product', id);
  return product;
}

const CHANGEABLE = PRODUCT_FIELDS satisfies readonly (keyof ProductRecord)[];

/** Returns the known fields that were sent, converted to their stored form. */
export function knownFields(change: ProductChange): Partial<ProductRecord> {
  const known: Record<string, unknown> = {};
  for (const field of CHANGEABLE) if (change[field] !== undefined) known[field] = change[field];
  if (change.name !== undefined) known.name = storedName(change.name);
  if (change.sku !== undefined) known.sku = codeOf(change.sku);
  if (change.ean !== undefined) known.ean = codeOf(change.ean);
  return known;
}

/**
 * Serializes renames. Two calls that swap the names of two products, or a rename and the creation of several products,
 * would otherwise wait for each other in the unique index and deadlock.
 */
async function serializeRenames(tx: Tx, workspaceId: string): Promise<void> {
  await tx.query(lockNames(workspaceId));
}

async function storeProduct(tx: Tx, workspaceId: string, product: ProductRecord): Promise<void> {
  try {
    await tx.query(sql`
      update products set
        name = ${product.name}, price = ${product.price}, price_discount = ${product.priceDiscount},
        description = ${product.description}, quantity = ${product.quantity}, weight = ${product.weight},
        width = ${product.width}, height = ${product.height}, length = ${product.length}, type_id = ${product.typeId},
        category_id = ${product.categoryId}, url_image = ${product.urlImage}, sku = ${product.sku}, ean = ${product.ean},
        ncm = ${product.ncm}, cest = ${product.cest}, fiscal_origin = ${product.fiscalOrigin},
        variations_from = case when has_variants then coalesce(variations_from, (
          select min(v.price) from variations v where v.workspace_id = ${workspaceId} and v.product_id = ${product.id})) end,
        updated_at = now()
      where workspace_id = ${workspaceId} and id = ${product.id}`);
  } catch (error) {
    if (isUniqueViolation(error, 'products_name')) throw nameTaken(product.name);
    throw error;
  }
}

async function categoryExists(tx: Tx, id: number): Promise<boolean> {
  return (await tx.query(sql`select 1 from categories where id = ${id}`)).length > 0;
}

export function noSuchCategory(id: number | undefined): FaultDetail {
  return { field: 'categoryId', message: `${id} is not the id of a category from GET /categories` };
}

export function nameTaken(name: string): ApiError {
  return conflict('duplicate_name', `A product named "${name}" already exists in this store`);
}

/** The key of the advisory lock on the product names of a store. Renames take it, and creations share it. */
export function namesOf(workspaceId: string): Statement {
  return sql`hashtextextended('names ' || ${workspaceId}::uuid, 0)`;
}

const lockNames = fixed((workspaceId: string) => sql`select pg_advisory_xact_lock(${namesOf(workspaceId)})`);

const productForUpdate = fixed(
  (workspaceId: string, id: string) => sql`
    select ${productColumns} from products p where p.workspace_id = ${workspaceId} and p.id = ${id} for update`,
);
