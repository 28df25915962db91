import type { Connection } from './connection.js';
import { sql } from './sql.js';

export type Connect = () => Promise<Connection>;

export interface ProbeTimes {
  /** A connection that has been idle for this long is asked whether it is still there. */
  idleMs: number;
  /** And destroyed if it has not answered after this. */
  answerMs: number;
}

/**
 * Every open connection of a process, so that one that died silently while it was idle is found before somebody
 * needs it. Without this a firewall that dropped its state costs each of the next callers a whole deadline.
 */
export class Fleet {
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
  const late = setTimeout(
    () => connection.destroy(new Error(`an idle connection did not answer within ${answerMs} ms`)),
    answerMs,
  );
  connection
    .query(sql`select 1`)
    .catch(() => {})
    .finally(() => clearTimeout(late));
}

/** A farewell needs the other side; a stop must not wait for one that is gone. */
async function endQuickly(connection: Connection, answerMs: number): Promise<void> {
  if (!connection.isOpen) return;
  const late = setTimeout(() => connection.destroy(new Error('the database is closed')), answerMs);
  await connection.close().catch(() => {});
  clearTimeout(late);
}
