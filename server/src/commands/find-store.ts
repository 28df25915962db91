import { findApp } from '../oauth/apps.js';
import type { Database } from '../platform/db/database.js';
import { isId } from '../platform/schema/ids.js';
import { findShop, type Shop, shopOfStore } from '../stores/queries.js';
import { type Option, UsageError } from './command.js';

export const storeOption: Option = {
  value: 'W',
  description: 'Store: its slug or its workspaceId',
  required: true,
};

export const clientOption: Option = { value: 'C', description: 'App: its client id', required: true };

/** Finds a store by slug or id. If the slug of a store equals the id of another, the id takes precedence. */
export async function requireStore(db: Database, slugOrId: string): Promise<Shop> {
  const byId = isId(slugOrId) ? await shopOfStore(db.store(slugOrId), slugOrId) : undefined;
  const store = byId ?? (await findShop(db.system('command'), slugOrId));
  if (!store)
    throw new UsageError(
      `No store has the slug or workspaceId "${slugOrId}". "feira store list" lists the stores, "feira store create" creates one.`,
      { code: 'store_not_found' },
    );
  return store;
}

export async function findCredential(
  db: Database,
  slugOrId: string,
  clientId: string,
): Promise<{ workspaceId: string; clientId: string }> {
  const { workspaceId } = await requireStore(db, slugOrId);
  if (!(await findApp(db.system('command'), clientId)))
    throw new UsageError(
      `No app has the client id "${clientId}". "feira app list" lists the apps, "feira app create" creates one.`,
      { code: 'app_not_found' },
    );
  return { workspaceId, clientId };
}
