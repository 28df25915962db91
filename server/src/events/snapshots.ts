import type { Database } from '../platform/db/database.js';
import type { Transaction } from '../platform/db/share.js';
import { type Statement, sql } from '../platform/db/sql.js';
import { DatabaseUnavailable, isOverload } from '../platform/db/unavailable.js';
import { busy, conflict } from '../platform/http/errors.js';
import { writeCursor } from './feed.js';
import { settledHead } from './sequencer.js';

/** How the records of a list are read in batches. */
export interface SnapshotRecords<R> {
  /** A key that sorts before those of all records. */
  start: string[];
  /**
   * Selects a batch of the records after the given key, in the order of their keys. An empty batch ends the snapshot.
   */
  next(workspaceId: string, after: string[]): Statement;
  keyOf(row: R): string[];
  /** Returns the JSON text, or null for a row that did not fit into its batch and must be read again. */
  lineOf(row: R): Buffer | string | null;
}

/**
 * Streams consistent snapshots of a store, one at a time per store and app. The first line contains the cursor from
 * which the client continues in the event feed: the last sequence number visible in the snapshot itself. An event is
 * numbered after its change has been committed, so the snapshot contains every change up to the cursor. Changes that
 * were committed but not yet numbered are in the snapshot and appear again in the feed, followed by all later changes
 * to the same record.
 */
export class Snapshots {
  private readonly running = new Set<string>();

  constructor(private readonly db: Database) {}

  async open(workspaceId: string, clientId: string): Promise<Snapshot> {
    const owner = `${workspaceId} ${clientId}`;
    if (this.running.has(owner)) throw snapshotRunning();
    this.running.add(owner);
    try {
      // Number pending events first, so that few changes are both in the snapshot and in the feed after its cursor.
      await settledHead(this.db.store(workspaceId), workspaceId);
      const tx = await this.db.stream(owner).begin({ isSnapshot: true });
      try {
        const position = await takePosition(tx, workspaceId, owner);
        return new Snapshot(tx, workspaceId, position, () => {
          this.running.delete(owner);
        });
      } catch (error) {
        await tx.rollback();
        throw error;
      }
    } catch (error) {
      this.running.delete(owner);
      throw isOverload(error) ? busy(error) : error;
    }
  }
}

interface Position {
  at: string;
  cursor: string;
}

/**
 * Called first in the transaction, so this statement determines the snapshot that later statements read. The advisory
 * lock prevents a second snapshot for the same owner (store and app) at the same time, even in another process, and is
 * released when the transaction ends.
 */
async function takePosition(tx: Transaction, workspaceId: string, owner: string): Promise<Position> {
  const [row] = await tx.query<{ locked: boolean; at: string; epoch: string | null; number: number }>(sql`
    select pg_try_advisory_xact_lock(hashtextextended(${`snapshot ${owner}`}, 0)) as locked,
      date_trunc('milliseconds', now()) as at, e.id as epoch, coalesce(h.last_sequence, 0) as number
    from (select) one left join event_epochs e on e.identity = history_identity()
    left join event_heads h on h.workspace_id = ${workspaceId}`);
  const { locked, at, epoch, number } = row!;
  if (!locked) throw snapshotRunning();
  if (epoch === null) throw new DatabaseUnavailable('PostgreSQL was restarted before the snapshot was taken');
  return { at, cursor: writeCursor({ epoch, number }) };
}

class Snapshot {
  private ending: Promise<void> | undefined;

  constructor(
    private readonly tx: Transaction,
    private readonly workspaceId: string,
    private readonly position: Position,
    private readonly ended: () => void,
  ) {}

  /** Streams the whole snapshot as NDJSON, one batch at a time. */
  async *read<R>(records: SnapshotRecords<R>): AsyncGenerator<Buffer> {
    yield lineOf({ snapshot: this.position });
    let after = records.start;
    let count = 0;
    for (;;) {
      const lines: Buffer[] = [];
      for (const row of await this.tx.query<R>(records.next(this.workspaceId, after))) {
        const line = records.lineOf(row);
        if (line === null) break;
        lines.push(typeof line === 'string' ? Buffer.from(line) : line, NEWLINE);
        after = records.keyOf(row);
        count++;
      }
      if (lines.length === 0) break;
      yield Buffer.concat(lines);
    }
    // End the transaction before sending the last line: a client that has read it may request the next snapshot
    // immediately.
    await this.end();
    yield lineOf({ end: { count } });
  }

  end(): Promise<void> {
    this.ending ??= this.tx.rollback().then(this.ended);
    return this.ending;
  }
}

const NEWLINE = Buffer.from('\n');

function lineOf(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

function snapshotRunning() {
  return conflict(
    'snapshot_running',
    'Another snapshot of this store is being streamed to this app. Read it to its end or close its connection first.',
  );
}
