import pg from 'pg';

const RETRY_MS = 500;

/**
 * One connection that LISTENs. `alive` is what caches ask before they trust themselves: while the connection is down,
 * a notification may be missed, so nothing may be cached.
 */
export class Listener {
  alive = false;
  private client: pg.Client | undefined;
  private retry: NodeJS.Timeout | undefined;
  private closed = false;
  private readonly channels = new Map<string, (payload: string) => void>();
  private readonly lossHandlers: (() => void)[] = [];

  constructor(private readonly connection: pg.ClientConfig) {}

  on(channel: string, handler: (payload: string) => void): void {
    this.channels.set(channel, handler);
    if (this.alive) this.client?.query(`listen ${channel}`).catch(() => {});
  }

  /** Called whenever the connection is lost, before `alive` can be true again. */
  onLoss(handler: () => void): void {
    this.lossHandlers.push(handler);
  }

  async start(): Promise<void> {
    const client = new pg.Client({ ...this.connection, keepAlive: true });
    this.client = client;
    const lost = () => this.lost(client);
    client.on('error', lost);
    client.on('end', lost);
    client.on('notification', ({ channel, payload }) => this.channels.get(channel)?.(payload ?? ''));
    try {
      await client.connect();
      for (const channel of this.channels.keys()) await client.query(`listen ${channel}`);
      if (this.client === client) this.alive = true;
    } catch {
      lost();
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    this.alive = false;
    clearTimeout(this.retry);
    await this.client?.end().catch(() => {});
  }

  private lost(client: pg.Client): void {
    if (this.client !== client) return;
    this.client = undefined;
    this.alive = false;
    for (const handler of this.lossHandlers) handler();
    client.end().catch(() => {});
    if (!this.closed) this.retry = setTimeout(() => void this.start(), RETRY_MS);
  }
}
