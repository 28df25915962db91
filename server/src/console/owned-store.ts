import type { Session } from '../accounts/sessions.js';
import { storesOwnedBy } from '../accounts/users.js';
import type { Database } from '../platform/db/database.js';
import { ApiError } from '../platform/http/errors.js';

/**
 * Throws unless the store belongs to this account. The response is the same whether another account owns the store or
 * it does not exist.
 */
export async function requireOwnedStore(db: Database, session: Session, workspaceId: string): Promise<void> {
  const owned = await storesOwnedBy(db.system('accounts'), session.userId);
  if (!owned.some((store) => store.workspaceId === workspaceId))
    throw new ApiError(404, 'not_found', 'Store not found.');
}
