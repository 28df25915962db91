import type { Database } from '../platform/db/database.js';
import { isId } from '../platform/schema/ids.js';
import { type Shop, shopOfStore } from '../stores/queries.js';
import { UsageError } from './command.js';

export async function findShopOf(db: Database, workspaceId: string): Promise<Shop> {
  const shop = isId(workspaceId) ? await shopOfStore(db.store(workspaceId), workspaceId) : undefined;
  if (!shop)
    throw new UsageError(
      `There is no store ${workspaceId}; "feira store create" makes one and prints its workspaceId`,
    );
  return shop;
}
