import type pg from 'pg';
import type { Connection } from './connection.js';
import { openSession, type Session } from './session.js';
import type { Deadlines } from './settings.js';
import type { Statement } from './sql.js';
import { DatabaseUnavailable } from './unavailable.js';
import { UnderWay } from './under-way.js';

/** The driver that uses pg's own client in its pipeline mode. */
export async function connectPg(connection: pg.ClientConfig, deadlines: Deadlines): Promise<Connection> {
  const session = await openSession(connection, deadlines, { pipeline: true });
  return new PgConnection(session, deadlines.answerMs);
}

/** PostgreSQL keeps up to 100 kB for each, and a list has a form for every order and set of filters. */
const MOST_STATEMENTS = 300;

class PgConnection implements Connection {
  isOpen = true;
  private readonly underWay: UnderWay<{ since: number; reject(error: Error): void }>;
  private readonly names = new Set<string>();

  constructor(
    private readonly session: Session,
    answerMs: number,
  ) {
    this.underWay = new UnderWay(answerMs, (error) => this.destroy(error));
    session.client.on('error', (error) => this.lose(error));
    session.client.on('end', () => this.lose(new Error('the connection to the database ended')));
  }

  get pending(): number {
    return this.underWay.size;
  }

  get lastAnswerAt(): number {
    return this.underWay.lastAnswerAt;
  }

  query<R>(statement: Statement): Promise<R[]> {
    return new Promise((resolve, reject) => {
      if (!this.isOpen) {
        reject(new DatabaseUnavailable('the connection to the database is closed'));
        return;
      }
      this.underWay.add({ since: performance.now(), reject });
      this.session.client.query(this.configOf(statement)).then(
        ({ rows }) => {
          this.underWay.answered();
          resolve(rows);
        },
        (error: Error) => {
          this.underWay.answered();
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
    this.underWay.failAll(error);
  }

  /** Beyond the limit a statement is planned at each use, as if it had no name. */
  private configOf({ text, values, name }: Statement): pg.QueryConfig {
    const query: pg.QueryConfig = { text, values: values as unknown[] };
    if (name === undefined) return query;
    if (this.names.size < MOST_STATEMENTS) this.names.add(name);
    if (this.names.has(name)) query.name = name;
    return query;
  }
}
