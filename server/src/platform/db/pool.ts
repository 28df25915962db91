import type { Connection } from './connection.js';
import type { Connect, OpenConnections } from './open-connections.js';

const UNUSED_MS = 30_000;

/** Connections, each used by one caller at a time. The pool itself has no limit: an Admission limits its callers. */
export class Pool {
  private readonly idle: { connection: Connection; since: number }[] = [];

  constructor(
    private readonly openConnections: OpenConnections,
    private readonly connect: Connect,
  ) {}

  async take(): Promise<Connection> {
    // Prefer the most recently used connection, because its backend is most likely still in the CPU cache.
    for (let last = this.idle.pop(); last; last = this.idle.pop())
      if (last.connection.isOpen) return last.connection;
    return this.openConnections.open(this.connect);
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
