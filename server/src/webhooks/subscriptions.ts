import type { ChangedField } from '../events/changed-fields.js';
import { settledHead } from '../events/sequencer.js';
import type { Clock } from '../platform/clock.js';
import type { Seal } from '../platform/crypto/seal.js';
import type { Queryable, StoreAccess, Tx } from '../platform/db/share.js';
import { raw, sql } from '../platform/db/sql.js';
import { type ApiError, conflict, notFound } from '../platform/http/errors.js';
import { isId, newId } from '../platform/schema/ids.js';
import { type Target, webhookSecretOwner } from './attempt.js';
import { newWebhookSecret } from './signing.js';

/** The store and app that own a subscription. Other apps of the same store cannot see it. */
export interface Owner {
  workspaceId: string;
  clientId: string;
}

/** The settings of a subscription that the app chooses. */
interface Settings {
  url: string;
  events: string[];
  /** The changes for which product.updated is delivered, or null for all changes. */
  filter: { fields: ChangedField[] } | null;
  /** Whether to skip events that the app itself caused. */
  excludeOwn: boolean;
}

export interface WebhookRecord extends Settings {
  id: string;
  status: string;
  createdAt: string;
  lastDeliveryAt: string | null;
}

export const LOST_UNTIL_FAILING = 5;
const MAX_SUBSCRIPTIONS = 20;
const PREVIOUS_SECRET_MS = 24 * 60 * 60 * 1000;

const columns = raw(`
  w.id, w.url, w.events, case when w.filter_fields is not null then json_build_object('fields', w.filter_fields) end as filter,
  w.exclude_own as "excludeOwn", case when w.lost_in_a_row >= ${LOST_UNTIL_FAILING} then 'failing' else 'active' end as status,
  w.created_at as "createdAt", w.last_delivery_at as "lastDeliveryAt"`);

export async function listWebhooks(
  db: Queryable,
  { workspaceId, clientId }: Owner,
): Promise<WebhookRecord[]> {
  return db.query<WebhookRecord>(sql`
    select ${columns} from webhooks w where w.workspace_id = ${workspaceId} and w.client_id = ${clientId}
    order by w.created_at, w.id`);
}

export async function findWebhook(
  db: Queryable,
  { workspaceId, clientId }: Owner,
  id: string,
): Promise<WebhookRecord> {
  const [webhook] = isId(id)
    ? await db.query<WebhookRecord>(sql`
        select ${columns} from webhooks w
        where w.workspace_id = ${workspaceId} and w.id = ${id} and w.client_id = ${clientId}`)
    : [];
  if (!webhook) throw notFound('Webhook', id);
  return webhook;
}

export async function createWebhook(
  tx: Tx,
  seal: Seal,
  { workspaceId, clientId }: Owner,
  { url, events, filter = null, excludeOwn = false }: Pick<Settings, 'url' | 'events'> & Partial<Settings>,
): Promise<WebhookRecord & { secret: string }> {
  // Requests of one store and app take turns, so that concurrent ones cannot exceed the limit.
  await tx.query(sql`
    select pg_advisory_xact_lock(hashtextextended(${`webhooks ${workspaceId} ${clientId}`}, 0))`);
  const id = newId();
  const secret = newWebhookSecret();
  const sealed = seal.close(secret, webhookSecretOwner(workspaceId, id));
  const [made] = await tx.query<WebhookRecord>(sql`
    insert into webhooks as w (workspace_id, id, client_id, url, events, filter_fields, exclude_own, secret, after_position)
    select ${workspaceId}::uuid, ${id}::uuid, ${clientId}, ${url}, ${distinct(events)}::text[],
      ${distinct(filter?.fields)}::text[], ${excludeOwn}::boolean, ${sealed}::bytea,
      coalesce(pg_sequence_last_value(pg_get_serial_sequence('outbox', 'position')::regclass), 0)
    where (select count(*) from webhooks w where w.workspace_id = ${workspaceId} and w.client_id = ${clientId}) < ${MAX_SUBSCRIPTIONS}
    returning ${columns}`);
  if (!made) throw subscriptionLimit();
  return { ...made, secret };
}

/**
 * Changes the fields that were sent. Events committed before the call are first turned into deliveries with the old
 * settings. Otherwise it would depend on the load of the workers which settings apply to a recent event. A new url also
 * applies to these deliveries, unless a worker has already claimed them.
 */
export async function updateWebhook(
  db: StoreAccess,
  { workspaceId, clientId }: Owner,
  id: string,
  { url, events, filter, excludeOwn }: Partial<Settings>,
): Promise<WebhookRecord> {
  await settledHead(db, workspaceId);
  const [changed] = await db.autocommit.query<WebhookRecord>(sql`
    update webhooks as w set
      url = coalesce(${url ?? null}, w.url), events = coalesce(${distinct(events)}::text[], w.events),
      filter_fields = case when ${filter !== undefined}::boolean then ${distinct(filter?.fields)}::text[] else w.filter_fields end,
      exclude_own = coalesce(${excludeOwn ?? null}::boolean, w.exclude_own)
    where w.workspace_id = ${workspaceId} and w.id = ${id} and w.client_id = ${clientId} returning ${columns}`);
  if (!changed) throw notFound('Webhook', id);
  return changed;
}

/**
 * Deletes a subscription. Deliveries that a worker has already claimed may still be sent. The others are not sent: the
 * next claim finds no subscription, and they are recorded as failed. The log is no longer accessible and is deleted
 * when it expires. Deleting the log here would take time proportional to its size and could deadlock with workers that
 * write to it.
 */
export async function deleteWebhook(tx: Tx, { workspaceId, clientId }: Owner, id: string): Promise<void> {
  const gone = isId(id)
    ? await tx.query(sql`
        delete from webhooks where workspace_id = ${workspaceId} and id = ${id} and client_id = ${clientId} returning 1`)
    : [];
  if (gone.length === 0) throw notFound('Webhook', id);
}

/**
 * Replaces the secret. For a day, deliveries are also signed with the old one, so that receivers can be updated one
 * after the other.
 */
export async function rotateWebhookSecret(
  tx: Tx,
  seal: Seal,
  clock: Clock,
  owner: Owner,
  id: string,
): Promise<WebhookRecord & { secret: string }> {
  await lockWebhook(tx, owner, id);
  const secret = newWebhookSecret();
  const sealed = seal.close(secret, webhookSecretOwner(owner.workspaceId, id));
  const until = new Date(clock.now() + PREVIOUS_SECRET_MS).toISOString();
  const [rotated] = await tx.query<WebhookRecord>(sql`
    update webhooks as w set previous_secret = w.secret, previous_until = ${until}, secret = ${sealed}
    where w.workspace_id = ${owner.workspaceId} and w.id = ${id} returning ${columns}`);
  return { ...rotated!, secret };
}

export async function findTarget(
  db: Queryable,
  { workspaceId, clientId }: Owner,
  id: string,
): Promise<Target> {
  const [target] = isId(id)
    ? await db.query<Target>(sql`
        select workspace_id as "workspaceId", id as "webhookId", url, secret, previous_secret as "previousSecret", previous_until as "previousUntil" from webhooks
        where workspace_id = ${workspaceId} and id = ${id} and client_id = ${clientId}`)
    : [];
  if (!target) throw notFound('Webhook', id);
  return target;
}

function distinct(names: string[] | undefined): string[] | null {
  return names ? [...new Set(names)] : null;
}

function subscriptionLimit(): ApiError {
  return conflict(
    'subscription_limit',
    `This app has ${MAX_SUBSCRIPTIONS} subscriptions in this store, which is the maximum. Delete one first.`,
  );
}

async function lockWebhook(tx: Tx, { workspaceId, clientId }: Owner, id: string): Promise<void> {
  const found = isId(id)
    ? await tx.query(sql`
        select 1 from webhooks where workspace_id = ${workspaceId} and id = ${id} and client_id = ${clientId} for update`)
    : [];
  if (found.length === 0) throw notFound('Webhook', id);
}
