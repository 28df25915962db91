import pg from 'pg';
import type { Statement } from './sql.js';

/** One pipelined connection that is made again when it breaks. Only for statements that take no lock. */
export class Pipeline {
  private client: Promise<pg.Client> | undefined;
  private closed = false;

  constructor(private readonly settings: pg.ClientConfig) {}

  async ready(): Promise<void> {
    await this.connected();
  }

  async query<R>(statement: Statement): Promise<R[]> {
    const client = await this.connected();
    const query = {
      text: statement.text,
      values: statement.values as unknown[],
      name: statement.name as string,
    };
    return (await client.query(query)).rows as R[];
  }

  async close(): Promise<void> {
    this.closed = true;
    const client = await this.client?.catch(() => undefined);
    await client?.end();
  }

  private connected(): Promise<pg.Client> {
    if (!this.client) {
      if (this.closed) return Promise.reject(new Error('the database is closed'));
      const client = new pg.Client({ ...this.settings, pipeline: true } as pg.ClientConfig);
      const attempt = client.connect().then(() => client);
      // Forgotten when it breaks or never comes up, so that the next query makes another.
      const forget = () => {
        if (this.client === attempt) this.client = undefined;
      };
      client.on('error', forget);
      client.on('end', forget);
      attempt.catch(forget);
      this.client = attempt;
    }
    return this.client;
  }
}
