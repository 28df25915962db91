import { isScope, SCOPES, type Scope } from '../oauth/scopes.js';
import { createGrant, issueTokens } from '../oauth/tokens.js';
import { type Command, UsageError } from './command.js';
import { withDatabase } from './connect.js';
import { clientOption, findCredential, storeOption } from './find-store.js';

export const command: Command = {
  summary: "Issue an access and a refresh token without the merchant's approval, for development",
  options: {
    store: storeOption,
    'client-id': clientOption,
    scope: {
      value: '"a b"',
      description: `One or more scopes, separated by spaces. Possible scopes: ${Object.keys(SCOPES).join(', ')}`,
      required: true,
    },
  },
  example:
    'feira token issue --store demo-store --client-id app_… --scope "products:read products:write stock:write"',
  async run(values) {
    const scopes = readScopes(String(values.scope));
    return withDatabase(async (db, clock) => {
      const { workspaceId, clientId } = await findCredential(
        db,
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

function readScopes(text: string): Scope[] {
  const scopes = [...new Set(text.split(/\s+/).filter(Boolean))];
  const unknown = scopes.filter((scope) => !isScope(scope));
  if (unknown.length > 0)
    throw new UsageError(
      `Unknown scope ${unknown.join(', ')}. The scopes are ${Object.keys(SCOPES).join(', ')}.`,
    );
  if (scopes.length === 0) throw new UsageError('--scope must name at least one scope');
  return scopes as Scope[];
}
