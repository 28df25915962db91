import { randomBytes } from 'node:crypto';
import { type NewOwner, ownerOf } from '../accounts/owners.js';
import type { Tx } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import { slugOf } from '../platform/html/slug.js';
import { newId } from '../platform/schema/ids.js';

export type NewStore = NewOwner & {
  name: string;
  /** The contact e-mail that apps and buyers see. Default: the e-mail of the owner. */
  contactEmail?: string | undefined;
};

/** Throws OwnerRefused if the store cannot be assigned to this owner. */
export async function createStore(tx: Tx, store: NewStore): Promise<{ workspaceId: string; slug: string }> {
  const ownerId = await ownerOf(tx, store);
  const workspaceId = newId();
  const slug = slugOf(store.name) || 'store';
  const insert = (candidate: string) =>
    tx.query<{ workspaceId: string; slug: string }>(sql`
      insert into workspaces (id, owner_id, slug, name, email)
      values (${workspaceId}, ${ownerId}, ${candidate}, ${store.name}, ${store.contactEmail ?? store.ownerEmail})
      on conflict (slug) do nothing returning id as "workspaceId", slug`);
  const [created] = await insert(slug);
  if (created) return created;
  // Another store already has this slug, so add a random suffix.
  const [renamed] = await insert(`${slug}-${randomBytes(4).toString('hex')}`);
  return renamed!;
}

/** Sets the limits for each order of the store. Omitted limits stay unchanged. */
export async function setOrderLimits(
  tx: Tx,
  workspaceId: string,
  limits: { maxUnitsPerLine?: number | undefined; maxUnitsPerOrder?: number | undefined },
): Promise<{ maxUnitsPerLine: number; maxUnitsPerOrder: number }> {
  const [set] = await tx.query<{ maxUnitsPerLine: number; maxUnitsPerOrder: number }>(sql`
    update workspaces set max_units_per_line = coalesce(${limits.maxUnitsPerLine ?? null}::integer, max_units_per_line),
      max_units_per_order = coalesce(${limits.maxUnitsPerOrder ?? null}::integer, max_units_per_order)
    where id = ${workspaceId}
    returning max_units_per_line as "maxUnitsPerLine", max_units_per_order as "maxUnitsPerOrder"`);
  return set!;
}

/** Sets the color of the shop. Null restores the color of the platform. */
export async function setAccentColor(tx: Tx, workspaceId: string, color: string | null): Promise<void> {
  await tx.query(sql`update workspaces set accent_color = ${color} where id = ${workspaceId}`);
}
