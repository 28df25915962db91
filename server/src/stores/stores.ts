import { randomBytes } from 'node:crypto';
import type { Tx } from '../platform/db.js';
import { newId } from '../platform/ids.js';
import { sql } from '../platform/sql.js';
import { createUser, findUser } from './users.js';

export interface NewStore {
  name: string;
  ownerEmail: string;
  ownerPassword: string;
}

/** An owner that exists gets one more store; the password given for them is then not looked at. */
export async function createStore(tx: Tx, store: NewStore): Promise<{ workspaceId: string; slug: string }> {
  const ownerId = await findOrCreateOwner(tx, store.ownerEmail, store.ownerPassword);
  const workspaceId = newId();
  const slug = slugOf(store.name) || 'store';
  const insert = (candidate: string) =>
    tx.query<{ workspaceId: string; slug: string }>(sql`
      insert into workspaces (id, owner_id, slug, name, email)
      values (${workspaceId}, ${ownerId}, ${candidate}, ${store.name}, ${store.ownerEmail})
      on conflict (slug) do nothing returning id as "workspaceId", slug`);
  const [made] = await insert(slug);
  if (made) return made;
  // Another store has the plain address already, so this one gets a random ending.
  const [renamed] = await insert(`${slug}-${randomBytes(4).toString('hex')}`);
  return renamed!;
}

async function findOrCreateOwner(tx: Tx, email: string, password: string): Promise<string> {
  const known = (await findUser(tx, email)) ?? (await createUser(tx, email, password));
  // Neither found nor made: somebody else made it in between.
  return known ?? (await findUser(tx, email))!;
}

function slugOf(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 48);
}
