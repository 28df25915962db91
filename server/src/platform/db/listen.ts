import type pg from 'pg';
import { openSession, type Session } from './session.js';
import type { Deadlines } from './settings.js';

const RETRY_MS = 500;
const HEARTBEAT_MS = 2_000;
const HEARTBEAT_ANSWER_MS = 1_500;
const DEADLINES: Deadlines = {
  lockMs: 3_000,
  statementMs: 3_000,
  answerMs: 4_000,
  transactionMs: 3_000,
  connectMs: 5_000,
  waitMs: 0,
  probeMs: HEARTBEAT_ANSWER_MS,
};

/**
 * No notification is sent on this channel. The statement is a LISTEN so that pg_stat_activity shows what the connection
 * is for.
 */
const HEARTBEAT = 'listen feira_heartbeat';

/**
 * The connection that receives notifications. While it is down, notifications are missed, so a cache that depends on
 * them must not store anything while `alive` is false. A heartbeat detects a connection that died silently.
 */
export class Listener {
  alive = false;
  private session: Session | undefined;
  private timer: NodeJS.Timeout | undefined;
  private closed = false;
  private lastAnswer: Promise<void> = Promise.resolve();
  private readonly channels = new Map<string, (payload: string) => void>();
  private readonly lossHandlers: (() => void)[] = [];

  constructor(private readonly connection: pg.ClientConfig) {}

  on(channel: string, handler: (payload: string) => void): void {
    this.channels.set(channel, handler);
    const { session } = this;
    if (this.alive && session) this.ask(session, `listen ${channel}`).catch(() => {});
  }

  /** The handler is called whenever the connection is lost, before `alive` can be true again. */
  onLoss(handler: () => void): void {
    this.lossHandlers.push(handler);
  }

  async start(): Promise<void> {
    try {
      const named = { ...this.connection, fallback_application_name: 'feira listener' };
      const session = await openSession(named, DEADLINES);
      this.session = session;
      session.client.on('error', () => this.lost(session));
      session.client.on('end', () => this.lost(session));
      session.client.on('notification', ({ channel, payload }) =>
        this.channels.get(channel)?.(payload ?? ''),
      );
      const channels = [...this.channels.keys()].map((channel) => `listen ${channel};`).join(' ');
      await this.ask(session, channels || HEARTBEAT);
      if (this.session !== session) return;
      this.alive = true;
      this.beat(session);
    } catch {
      if (this.session) this.lost(this.session);
      else this.retry();
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    this.alive = false;
    clearTimeout(this.timer);
    const { session } = this;
    this.session = undefined;
    if (!session) return;
    const late = setTimeout(() => session.socket.destroy(), HEARTBEAT_ANSWER_MS);
    await session.client.end().catch(() => {});
    clearTimeout(late);
  }

  private beat(session: Session): void {
    this.timer = setTimeout(() => {
      this.ask(session, HEARTBEAT).then(
        () => this.session === session && this.beat(session),
        () => this.lost(session),
      );
    }, HEARTBEAT_MS).unref();
  }

  /** Sends one query at a time, because pg deprecates calling `query` while another query is running. */
  private ask(session: Session, text: string): Promise<void> {
    const answered = this.lastAnswer.then(async () => {
      const late = setTimeout(() => this.lost(session), HEARTBEAT_ANSWER_MS);
      await session.client.query(text).finally(() => clearTimeout(late));
    });
    this.lastAnswer = answered.catch(() => {});
    return answered;
  }

  private lost(session: Session): void {
    if (this.session !== session) return;
    this.session = undefined;
    this.alive = false;
    for (const handler of this.lossHandlers) handler();
    session.socket.destroy();
    this.retry();
  }

  private retry(): void {
    clearTimeout(this.timer);
    if (!this.closed) this.timer = setTimeout(() => void this.start(), RETRY_MS);
  }
}
