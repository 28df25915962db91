import type { Seal } from '../platform/crypto/seal.js';
import type { StoreAccess } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import { webhookSecretOwner } from './attempt.js';

const BATCH = 200;
const START = '00000000-0000-0000-0000-000000000000';

interface Sealed {
  workspaceId: string;
  id: string;
  secret: Buffer;
  previousSecret: Buffer | null;
}

/**
 * Encrypts webhook secrets again with the current FEIRA_SECRET if they were encrypted with an earlier one, so that
 * FEIRA_SECRET_PREVIOUS can be removed later. Secrets that cannot be decrypted stay unchanged.
 */
export async function resealWebhookSecrets(db: StoreAccess, seal: Seal): Promise<void> {
  let last = { workspaceId: START, id: START };
  for (;;) {
    const rows = await db.query<Sealed>(sql`
      select workspace_id as "workspaceId", id, secret, previous_secret as "previousSecret" from webhooks
      where (substring(secret from 1 for ${seal.currentPrefix.length}::int) <> ${seal.currentPrefix}
          or substring(previous_secret from 1 for ${seal.currentPrefix.length}::int) <> ${seal.currentPrefix})
        and (workspace_id, id) > (${last.workspaceId}::uuid, ${last.id}::uuid)
      order by workspace_id, id limit ${BATCH}`);
    for (const row of rows) await reseal(db, seal, row);
    if (rows.length < BATCH) return;
    last = rows.at(-1)!;
  }
}

/** Changes the row only if its secrets are still those that were read, so that no concurrent rotation is undone. */
async function reseal(db: StoreAccess, seal: Seal, row: Sealed): Promise<void> {
  const { workspaceId, id } = row;
  const again = (sealed: Buffer | null): Buffer | null => {
    try {
      const owner = webhookSecretOwner(workspaceId, id);
      return sealed && seal.close(seal.open(sealed, owner), owner);
    } catch {
      return sealed;
    }
  };
  await db.autocommit.query(sql`
    update webhooks set secret = ${again(row.secret)}, previous_secret = ${again(row.previousSecret)}
    where workspace_id = ${workspaceId} and id = ${id} and secret = ${row.secret}
      and previous_secret is not distinct from ${row.previousSecret}`);
}
