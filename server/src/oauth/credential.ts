import { DEFAULT_PER_MINUTE, type Spender } from '../platform/budgets/budgets.js';
import type { Scope } from './scopes.js';

/** The authenticated caller: one app acting for one store, with the granted scopes. */
export interface Credential extends Spender {
  scopes: ReadonlySet<Scope>;
  expiresAt: number;
  /** The fields of log lines that identify the caller. */
  logged: { workspaceId: string; clientId: string };
}

export function credentialOf({
  workspace_id,
  client_id,
  scopes,
  expires_at,
  per_minute,
}: CredentialRow): Credential {
  return {
    workspaceId: workspace_id,
    clientId: client_id,
    name: nameOf(workspace_id, client_id),
    logged: { workspaceId: workspace_id, clientId: client_id },
    scopes: new Set(scopes),
    expiresAt: Date.parse(expires_at),
    perMinute: per_minute ?? DEFAULT_PER_MINUTE,
  };
}

/**
 * Returns whether a cached credential still matches its row. The store and the app are not compared, because a token
 * never gets another store or app.
 */
export function matchesRow(
  credential: Credential,
  { scopes, expires_at, per_minute }: CredentialRow,
): boolean {
  return (
    credential.perMinute === (per_minute ?? DEFAULT_PER_MINUTE) &&
    credential.expiresAt === Date.parse(expires_at) &&
    credential.scopes.size === scopes.length &&
    scopes.every((scope) => credential.scopes.has(scope))
  );
}

export function nameOf(workspaceId: string, clientId: string): string {
  return `${workspaceId} ${clientId}`;
}

export interface CredentialRow {
  workspace_id: string;
  grant_id: string;
  last_used_at: string | null;
  client_id: string;
  scopes: Scope[];
  expires_at: string;
  per_minute: number | null;
}
