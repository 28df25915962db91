import type { Connection } from './connection.js';
import { sql } from './sql.js';

export type Connect = () => Promise<Connection>;

interface ProbeTimes {
  /** A connection that has been idle for this long is probed. */
  idleMs: number;
  /** A connection that has not answered its probe after this time is destroyed. */
  answerMs: number;
}

/**
 * Tracks open connections and probes idle ones, so that a connection that died silently is usually destroyed before a
 * caller gets it. Without probes, a caller would get a connection that a firewall had dropped, and wait for a response
 * until the deadline of its query.
 */
export class OpenConnections {
  private readonly connections = new Set<Connection>();
  private readonly timer: NodeJS.Timeout;
  private closed = false;

  constructor(private readonly times: ProbeTimes) {
    this.timer = setInterval(() => this.probeIdle(), times.idleMs).unref();
  }

  async open(connect: Connect): Promise<Connection> {
    const connection = await connect();
    if (this.closed) {
      await connection.close();
      throw new Error('the database is closed');
    }
    this.connections.add(connection);
    return connection;
  }

  get size(): number {
    return this.connections.size;
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.timer);
    await Promise.all([...this.connections].map((connection) => endQuickly(connection, this.times.answerMs)));
  }

  private probeIdle(): void {
    const since = performance.now() - this.times.idleMs;
    for (const connection of this.connections) {
      if (!connection.isOpen) this.connections.delete(connection);
      else if (connection.pending === 0 && connection.lastAnswerAt < since)
        probe(connection, this.times.answerMs);
    }
  }
}

function probe(connection: Connection, answerMs: number): void {
  let answered = false;
  const giveUp = () => {
    if (!answered) connection.destroy(new Error(`an idle connection did not answer within ${answerMs} ms`));
  };
  // Timers run before sockets are read. `setImmediate` waits for the read, so that an answer that arrived while the
  // event loop was blocked counts.
  const late = setTimeout(() => setImmediate(giveUp), answerMs);
  connection
    .query(sql`select 1`)
    .catch(() => {})
    .finally(() => {
      answered = true;
      clearTimeout(late);
    });
}

/**
 * Closes the connection, and destroys it if the server does not respond in time, because shutdown must not wait for a
 * server that is gone.
 */
async function endQuickly(connection: Connection, answerMs: number): Promise<void> {
  if (!connection.isOpen) return;
  const late = setTimeout(() => connection.destroy(new Error('the database is closed')), answerMs);
  await connection.close().catch(() => {});
  clearTimeout(late);
}
