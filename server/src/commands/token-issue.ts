import { findApp } from '../oauth/apps.js';
import { isScope, SCOPES, type Scope } from '../oauth/scopes.js';
import { createGrant, issueTokens } from '../oauth/tokens.js';
import type { Queryable } from '../platform/db/share.js';
import { isId } from '../platform/schema/ids.js';
import { findStore } from '../stores/queries.js';
import { type Command, UsageError } from './command.js';
import { withDatabase } from './connect.js';

export const command: Command = {
  summary: "Issue a token without the merchant's approval, for development",
  options: {
    store: { value: 'W', description: 'Store the token acts for (workspaceId)', required: true },
    'client-id': { value: 'C', description: 'App the token is for', required: true },
    scope: {
      value: '"a b"',
      description: `Scopes, separated by spaces: ${Object.keys(SCOPES).join(', ')}`,
      required: true,
    },
  },
  example:
    'feira token issue --store 0192… --client-id app_… --scope "products:read products:write stock:write"',
  async run(values) {
    const scopes = readScopes(String(values.scope));
    return withDatabase(async (db, clock) => {
      const { workspaceId, clientId } = await findCredential(
        db.system('command'),
        String(values.store),
        String(values['client-id']),
      );
      return db.store(workspaceId).transaction(async (tx) => {
        const grantId = await createGrant(tx, { workspaceId, clientId, userId: null, scopes });
        return issueTokens(tx, clock, workspaceId, grantId, scopes);
      });
    });
  },
};

export async function findCredential(db: Queryable, workspaceId: string, clientId: string) {
  const store = isId(workspaceId) ? await findStore(db, workspaceId) : undefined;
  if (!store)
    throw new UsageError(
      `There is no store ${workspaceId}; "feira store create" makes one and prints its workspaceId`,
    );
  if (!(await findApp(db, clientId)))
    throw new UsageError(`There is no app ${clientId}; "feira app create" makes one and prints its clientId`);
  return { workspaceId, clientId };
}

function readScopes(text: string): Scope[] {
  const scopes = [...new Set(text.split(/\s+/).filter(Boolean))];
  const unknown = scopes.filter((scope) => !isScope(scope));
  if (unknown.length > 0)
    throw new UsageError(`Unknown scope ${unknown.join(', ')}; there are ${Object.keys(SCOPES).join(', ')}`);
  if (scopes.length === 0) throw new UsageError('--scope names no scope');
  return scopes as Scope[];
}
