import { hash, randomBytes } from 'node:crypto';
import type {} from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../platform/clock.js';
import type { Signer } from '../platform/crypto/signer.js';
import { deleteInBatches } from '../platform/db/delete-in-batches.js';
import type { Share } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import { formRefused } from '../platform/http/same-origin.js';
import { KnownDevices } from './known-devices.js';

export interface Session {
  userId: string;
  email: string;
}

const LIFETIME_MS = 12 * 60 * 60 * 1000;
const ID = /^[A-Za-z0-9_-]{43}$/;

/**
 * A browser gets a session id with the first page that contains a CSRF token. Signing in replaces the id, so that an id
 * which an attacker had planted (session fixation) is useless. The database stores only the ids of signed-in browsers,
 * as hashes.
 */
export class Sessions {
  readonly devices: KnownDevices;
  private readonly cookie: string;
  private readonly secure: boolean;
  /**
   * The id issued in response to a request. It is remembered because a page may need several CSRF tokens before the
   * browser sends the cookie back.
   */
  private readonly given = new WeakMap<FastifyRequest, string>();

  constructor(
    private readonly db: Share,
    private readonly clock: Clock,
    private readonly signer: Signer,
    publicUrl: string,
  ) {
    this.devices = new KnownDevices(signer, publicUrl);
    this.secure = publicUrl.startsWith('https:');
    this.cookie = this.secure ? '__Host-feira' : 'feira';
  }

  async find(request: FastifyRequest): Promise<Session | undefined> {
    const id = this.idOf(request);
    if (!id) return undefined;
    const [session] = await this.db.query<Session>(sql`
      select u.id as "userId", u.email from sessions s join users u on u.id = s.user_id
      where s.id_hash = ${hashOf(id)} and s.expires_at > ${new Date(this.clock.now()).toISOString()}`);
    return session;
  }

  /** Signs in: replaces the session id of the browser, and marks the browser as known to the account. */
  async begin(request: FastifyRequest, reply: FastifyReply, { userId, email }: Session): Promise<void> {
    await this.forget(request);
    const id = this.give(request, reply);
    const expiresAt = new Date(this.clock.now() + LIFETIME_MS).toISOString();
    await this.db.autocommit.query(sql`
      insert into sessions (id_hash, user_id, expires_at) values (${hashOf(id)}, ${userId}, ${expiresAt})`);
    this.devices.remember(request, reply, email);
  }

  async end(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await this.forget(request);
    reply.clearCookie(this.cookie, this.attributes());
  }

  /** Ends all other sessions of the user after a password change. */
  async endOthers(request: FastifyRequest, userId: string): Promise<void> {
    const kept = hashOf(this.idOf(request) ?? '');
    await this.db.autocommit.query(
      sql`delete from sessions where user_id = ${userId} and id_hash <> ${kept}`,
    );
  }

  /** Returns a token that proves that a form came from one of our pages, for this browser and this purpose. */
  csrfToken(request: FastifyRequest, reply: FastifyReply, purpose: string): string {
    const id = this.idOf(request) ?? this.given.get(request) ?? this.give(request, reply);
    return this.signer.sign('form', id, purpose);
  }

  checkCsrf(request: FastifyRequest, sent: string | undefined, purpose: string): void {
    const id = this.idOf(request);
    if (id && this.signer.verify('form', sent ?? '', id, purpose)) return;
    throw formRefused();
  }

  private idOf(request: FastifyRequest): string | undefined {
    const id = request.cookies[this.cookie];
    return id !== undefined && ID.test(id) ? id : undefined;
  }

  private async forget(request: FastifyRequest): Promise<void> {
    const id = this.idOf(request);
    if (id) await this.db.autocommit.query(sql`delete from sessions where id_hash = ${hashOf(id)}`);
  }

  private give(request: FastifyRequest, reply: FastifyReply): string {
    const id = randomBytes(32).toString('base64url');
    this.given.set(request, id);
    reply.setCookie(this.cookie, id, this.attributes());
    return id;
  }

  private attributes() {
    return { path: '/', httpOnly: true, sameSite: 'lax', secure: this.secure } as const;
  }
}

export async function purgeSessions(db: Share, clock: Clock): Promise<void> {
  await deleteInBatches(db, 'sessions', sql`expires_at <= ${new Date(clock.now()).toISOString()}`);
}

function hashOf(id: string): Buffer {
  return hash('sha256', id, 'buffer');
}
