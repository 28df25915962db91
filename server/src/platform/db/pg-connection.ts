import type pg from 'pg';
import type { Connection } from './connection.js';
import { InFlight } from './in-flight.js';
import { openSession, type Session } from './session.js';
import type { Deadlines } from './settings.js';
import type { Statement } from './sql.js';
import { DatabaseUnavailable } from './unavailable.js';

/** Opens a connection that uses the client of the pg package in its pipeline mode. */
export async function connectPg(connection: pg.ClientConfig, deadlines: Deadlines): Promise<Connection> {
  const session = await openSession(connection, deadlines, { pipeline: true });
  return new PgConnection(session, deadlines.answerMs);
}

/**
 * This limits the memory of the backend: PostgreSQL keeps up to 100 kB for each prepared statement, and a list has a
 * different statement for every combination of limit, sort and filters.
 */
const MAX_PREPARED_STATEMENTS = 300;

class PgConnection implements Connection {
  isOpen = true;
  private readonly inFlight: InFlight<{ since: number; reject(error: Error): void }>;
  private readonly names = new Set<string>();

  constructor(
    private readonly session: Session,
    answerMs: number,
  ) {
    this.inFlight = new InFlight(answerMs, (error) => this.destroy(error));
    session.client.on('error', (error) => this.lose(error));
    session.client.on('end', () => this.lose(new Error('the database closed the connection')));
  }

  get pending(): number {
    return this.inFlight.size;
  }

  get lastAnswerAt(): number {
    return this.inFlight.lastAnswerAt;
  }

  query<R>(statement: Statement): Promise<R[]> {
    return new Promise((resolve, reject) => {
      if (!this.isOpen) {
        reject(new DatabaseUnavailable('the connection to the database is closed'));
        return;
      }
      this.inFlight.add({ since: performance.now(), reject });
      this.session.client.query(this.configOf(statement)).then(
        ({ rows }) => {
          this.inFlight.answered();
          resolve(rows);
        },
        (error: Error) => {
          this.inFlight.answered();
          reject(error);
        },
      );
    });
  }

  destroy(reason: Error): void {
    this.lose(reason);
    this.session.socket.destroy();
  }

  async close(): Promise<void> {
    this.isOpen = false;
    await this.session.client.end();
  }

  private lose(error: Error): void {
    this.isOpen = false;
    this.inFlight.failAll(error);
  }

  /** Once the limit is reached, every new statement is sent without a name, so PostgreSQL plans it for each use. */
  private configOf({ text, values, name }: Statement): pg.QueryConfig {
    const query: pg.QueryConfig = { text, values: values as unknown[] };
    if (name === undefined) return query;
    if (this.names.size < MAX_PREPARED_STATEMENTS) this.names.add(name);
    if (this.names.has(name)) query.name = name;
    return query;
  }
}
