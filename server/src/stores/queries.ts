import type { Queryable } from '../platform/db/share.js';
import { raw, sql } from '../platform/db/sql.js';

export interface StoreRecord {
  workspaceId: string;
  name: string;
  email: string;
  document: string | null;
  domain: string | null;
  currency: string;
  timezone: string;
}

export async function findStore(db: Queryable, workspaceId: string): Promise<StoreRecord | undefined> {
  const [store] = await db.query<StoreRecord>(sql`
    select id as "workspaceId", name, email, document, domain, 'BRL' as currency, timezone
    from workspaces where id = ${workspaceId}`);
  return store;
}

export interface ListedStore {
  workspaceId: string;
  slug: string;
  name: string;
  ownerEmail: string;
  createdAt: string;
}

/** Lists all stores of the platform, for the operator. */
export async function listStores(db: Queryable): Promise<ListedStore[]> {
  return db.query<ListedStore>(sql`
    select w.id as "workspaceId", w.slug, w.name, u.email as "ownerEmail", w.created_at as "createdAt"
    from workspaces w join users u on u.id = w.owner_id order by w.created_at, w.id`);
}

/** The store as buyers see it. */
export interface Shop {
  workspaceId: string;
  slug: string;
  name: string;
  timezone: string;
  /** The e-mail address at which buyers can contact the shop. */
  email: string;
  /** The maximum number of units in one order: of a single item, and of all items together. */
  maxUnitsPerLine: number;
  maxUnitsPerOrder: number;
  /** Six hexadecimal digits, or null for the default color of the platform. */
  accentColor: string | null;
}

export const shopColumns = raw(`
  id as "workspaceId", slug, name, timezone, email, max_units_per_line as "maxUnitsPerLine",
  max_units_per_order as "maxUnitsPerOrder", accent_color as "accentColor"`);

export function isSlug(text: string): boolean {
  return /^[a-z0-9-]{1,64}$/.test(text);
}

export async function findShop(db: Queryable, slug: string): Promise<Shop | undefined> {
  if (!isSlug(slug)) return undefined;
  const [shop] = await db.query<Shop>(sql`select ${shopColumns} from workspaces where slug = ${slug}`);
  return shop;
}

export async function shopOfStore(db: Queryable, workspaceId: string): Promise<Shop | undefined> {
  const [shop] = await db.query<Shop>(sql`select ${shopColumns} from workspaces where id = ${workspaceId}`);
  return shop;
}
