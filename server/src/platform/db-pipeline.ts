import type { Socket } from 'node:net';
import pg from 'pg';
import { PreparedQuery } from './prepared-query.js';
import type { Statement } from './sql.js';

/** One pipelined connection that is made again when it breaks. Only for statements that take no lock. */
export class Pipeline {
  private client: Promise<pg.Client> | undefined;
  private connectedClient: pg.Client | undefined;
  private corked = false;
  private closed = false;

  constructor(private readonly settings: pg.ClientConfig) {}

  async ready(): Promise<void> {
    await this.connected();
  }

  query<R>(statement: Statement): Promise<R[]> {
    const client = this.connectedClient;
    if (!client) return this.connected().then((connected) => this.send<R>(connected, statement));
    return this.send<R>(client, statement);
  }

  async close(): Promise<void> {
    this.closed = true;
    const client = await this.client?.catch(() => undefined);
    await client?.end();
  }

  private send<R>(client: pg.Client, statement: Statement): Promise<R[]> {
    this.gatherWrites(client);
    return new Promise((resolve, reject) => {
      const query = new PreparedQuery(statement, (error, result) =>
        error ? reject(error) : resolve(result.rows as R[]),
      );
      client.query(query as unknown as pg.Submittable);
    });
  }

  /**
   * What the requests of one turn of the event loop ask goes out in one write: waking PostgreSQL up is the dearest part
   * of a small query.
   */
  private gatherWrites(client: pg.Client): void {
    if (this.corked) return;
    this.corked = true;
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
    stream.cork();
    setImmediate(() => {
      this.corked = false;
      stream.uncork();
    });
  }

  private connected(): Promise<pg.Client> {
    if (!this.client) {
      if (this.closed) return Promise.reject(new Error('the database is closed'));
      const client = new pg.Client({ ...this.settings, pipeline: true } as pg.ClientConfig);
      const attempt = client.connect().then(() => {
        this.connectedClient = client;
        return client;
      });
      // Forgotten when it breaks or never comes up, so that the next query makes another.
      const forget = () => {
        if (this.client === attempt) {
          this.client = undefined;
          this.connectedClient = undefined;
        }
      };
      client.on('error', forget);
      client.on('end', forget);
      attempt.catch(forget);
      this.client = attempt;
    }
    return this.client;
  }
}
