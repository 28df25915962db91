import { randomBytes } from 'node:crypto';
import type { Tx } from '../platform/db.js';
import { newId } from '../platform/ids.js';
import { sql } from '../platform/sql.js';
import { hashPassword } from './passwords.js';

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
  const find = () => tx.query<{ id: string }>(sql`select id from users where lower(email) = lower(${email})`);
  const [known] = await find();
  if (known) return known.id;
  await tx.query(sql`
    insert into users (id, email, password_hash) values (${newId()}, ${email}, ${await hashPassword(password)})
    on conflict do nothing`);
  const [made] = await find();
  return made!.id;
}

function slugOf(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 48);
}
