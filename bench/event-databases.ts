import { stepForAll } from 'feira/dist/events/step.js';
import { createApp } from 'feira/dist/oauth/apps.js';
import { createGrant } from 'feira/dist/oauth/tokens.js';
import { type Database, openDatabase } from 'feira/dist/platform/db/database.js';
import { migrate } from 'feira/dist/platform/db/migrate.js';
import { sql } from 'feira/dist/platform/db/sql.js';
import { startEmbeddedPostgres } from 'feira/dist/platform/embedded-postgres/start.js';
import { createStore } from 'feira/dist/stores/stores.js';
import { type Claimed, claimDue } from 'feira/dist/webhooks/claim.js';
import { recordFinished } from 'feira/dist/webhooks/record.js';
import pg from 'pg';
import { temporaryFolder } from './processes.js';

// The benchmarks that use this file compare an empty and a full database in one PostgreSQL server. They alternate
// between the two, so that other load on the machine affects both equally.

export interface Subscription {
  workspaceId: string;
  webhookId: string;
}

const WARM_UP = 4_800;

export class EventDatabase {
  private constructor(
    readonly client: pg.Client,
    readonly db: Database,
    /** The subscription whose claims are measured. */
    readonly measured: Subscription,
  ) {}

  static async create(cluster: pg.ClientConfig, name: string): Promise<EventDatabase> {
    const admin = new pg.Client(cluster);
    await admin.connect();
    await admin.query(`create database "${name}"`);
    await admin.end();
    const connection = { ...cluster, database: name } as Parameters<typeof migrate>[0];
    await migrate(connection);
    const client = new pg.Client(connection);
    await client.connect();
    const db = await openDatabase(connection);
    return new EventDatabase(client, db, await subscribe(db));
  }

  /** Adds another store with a subscription. */
  subscribe(): Promise<Subscription> {
    return subscribe(this.db);
  }

  /** Adds events to the outbox as stock changes would, assigns their numbers and queues their deliveries. */
  async write(count: number): Promise<void> {
    const { autocommit } = this.db.background('bench');
    await autocommit.query(sql`
      insert into outbox (workspace_id, event, data, origin)
      select ${this.measured.workspaceId}, 'stock.updated', jsonb_build_object('id', n::text, 'quantity', n), 'system'
      from generate_series(1, ${count}::integer) n`);
    for (let left = count; left > 0; ) {
      const [step] = await autocommit.query<{ moved: number; epochMissing: boolean; headsMissing: boolean }>(
        stepForAll,
      );
      left -= step!.moved;
      if (step!.moved === 0) await this.prepareStep();
    }
  }

  claim(excluded: Subscription[] = []): Promise<Claimed[]> {
    return claimDue(this.db.background('bench'), {
      now: Date.now(),
      leaseMs: 60_000,
      max: 250,
      maxPerOther: 16,
      wanted: excluded.map(({ webhookId }) => ({ webhookId, max: 0 })),
    });
  }

  /** Records that the deliveries were delivered. */
  async record(claimed: Claimed[]): Promise<void> {
    const now = Date.now();
    const result = { delivered: true, statusCode: 204, error: null, durationMs: 5, response: '' };
    const finished = claimed.map((each) => ({ claimed: each, at: now, result }));
    const counts = await recordFinished(
      this.db.background('bench'),
      now,
      { firstMs: 5_000, factor: 15 },
      finished,
    );
    if (counts.delivered !== claimed.length)
      throw new Error(`recorded ${counts.delivered} of ${claimed.length}`);
  }

  /**
   * Adds 4,800 finished deliveries and analyzes the tables. Without these rows, the plans in the empty database would
   * be made for tables of one page, and would become slow during the measurement.
   */
  async warmUp(excluded: Subscription[] = []): Promise<void> {
    await this.write(WARM_UP);
    for (let recorded = 0; recorded < WARM_UP; ) {
      const claimed = await this.claim(excluded);
      await this.record(claimed);
      recorded += claimed.length;
    }
    await this.client.query('vacuum analyze');
  }

  /** Marks all deliveries of the measured subscription as delivered. */
  async finish(): Promise<void> {
    const { workspaceId, webhookId } = this.measured;
    await this.client.query(
      `update deliveries set status = 'delivered' where workspace_id = $1 and webhook_id = $2 and status = 'pending'`,
      [workspaceId, webhookId],
    );
  }

  async close(): Promise<void> {
    await this.client.end();
    await this.db.close();
  }

  /** Inserts the rows of event_epochs and event_heads without which no events are moved out of the outbox. */
  private async prepareStep(): Promise<void> {
    await this.client.query(`
      insert into event_epochs (id, identity) values ('0123456789abcdef', history_identity()) on conflict do nothing`);
    await this.client.query('insert into event_heads (workspace_id) values ($1) on conflict do nothing', [
      this.measured.workspaceId,
    ]);
  }
}

export async function openCluster() {
  const postgres = await startEmbeddedPostgres({ folder: temporaryFolder() });
  return { connection: postgres.connection as pg.ClientConfig, close: () => postgres.close() };
}

async function subscribe(db: Database): Promise<Subscription> {
  const owner = { ownerEmail: `${Math.random()}@store.example`, ownerPassword: 'correct horse' };
  const share = db.store('bench');
  const { workspaceId } = await share.transaction((tx) => createStore(tx, { name: 'Store', ...owner }));
  const app = { name: 'ERP', redirectUris: ['https://erp.example/cb'] };
  const { clientId } = await createApp(share.autocommit, app);
  await share.transaction((tx) =>
    createGrant(tx, { workspaceId, clientId, userId: null, scopes: ['webhooks:manage'] }),
  );
  // Without this, the app would not receive deliveries: they start when the app exchanges its authorization code.
  await share.autocommit.query(sql`update oauth_grants set connected_at = now()`);
  const [hook] = await share.autocommit.query<{ id: string }>(sql`
    insert into webhooks (workspace_id, id, client_id, url, events, secret)
    values (${workspaceId}, new_id(), ${clientId}, 'https://erp.example/hook', ${['stock.updated']}, ${Buffer.alloc(8)})
    returning id`);
  return { workspaceId, webhookId: hook!.id };
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

export function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

/** Prints both medians and their ratio. Returns whether the ratio is within the goal. */
export function compare(what: string, empty: number[], full: number[], goal: number): boolean {
  const [before, after] = [median(empty), median(full)];
  const ratio = after / before;
  console.log(
    `${what}: empty ${before.toFixed(2)} ms, full ${after.toFixed(2)} ms, ratio ${ratio.toFixed(2)} (goal ${goal})`,
  );
  return ratio <= goal;
}
