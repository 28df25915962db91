import type { Connection } from './connection.js';
import type { Connect, Fleet } from './fleet.js';

const UNUSED_MS = 30_000;

/** Connections that are lent to one caller at a time. How many there may be is the business of the admission before it. */
export class Pool {
  private readonly idle: { connection: Connection; since: number }[] = [];

  constructor(
    private readonly fleet: Fleet,
    private readonly connect: Connect,
  ) {}

  async take(): Promise<Connection> {
    // The one that was used last: its backend is most likely still in the processor's cache.
    for (let last = this.idle.pop(); last; last = this.idle.pop())
      if (last.connection.isOpen) return last.connection;
    return this.fleet.open(this.connect);
  }

  give(connection: Connection): void {
    const now = performance.now();
    if (connection.isOpen) this.idle.push({ connection, since: now });
    const [oldest] = this.idle;
    if (!oldest || now - oldest.since < UNUSED_MS) return;
    this.idle.shift();
    void oldest.connection.close().catch(() => {});
  }
}
