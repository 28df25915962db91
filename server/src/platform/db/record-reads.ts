import { Batcher } from '../concurrency/batcher.js';
import { isId } from '../schema/ids.js';
import type { Queryable } from './share.js';
import { arrayOf, type Statement } from './sql.js';

interface Key {
  workspaceId: string;
  id: string;
}

/** The row of a record. `n` is the position of its key in the arrays of the statement, beginning with 1. */
export interface NumberedRow {
  n: number;
}

/** Reads records by store and id. Up to 12 concurrent reads share one statement. */
export class RecordReads<Row extends NumberedRow> {
  private readonly reads = new Batcher(3, 12, (keys: Key[]) => this.findAll(this.db, keys));

  /**
   * The arguments of `statement` are two PostgreSQL arrays of the same length. The statement must hide their length in
   * sub-selects. Otherwise the planner would plan every execution again, to suit the length.
   */
  constructor(
    private readonly db: Queryable,
    private readonly statement: (workspaceIds: string, ids: string) => Statement,
  ) {}

  find(workspaceId: string, id: string): Promise<Row | undefined> {
    return isId(id) ? this.reads.submit({ workspaceId, id }) : Promise.resolve(undefined);
  }

  /** Reads one record through `tx`. Unlike in `find`, the read is not combined with others. */
  async findIn(tx: Queryable, workspaceId: string, id: string): Promise<Row | undefined> {
    return isId(id) ? (await this.findAll(tx, [{ workspaceId, id }]))[0] : undefined;
  }

  private async findAll(db: Queryable, keys: Key[]): Promise<(Row | undefined)[]> {
    const rows = await db.query<Row>(
      this.statement(arrayOf(keys.map(({ workspaceId }) => workspaceId)), arrayOf(keys.map(({ id }) => id))),
    );
    const found: (Row | undefined)[] = keys.map(() => undefined);
    for (const row of rows) found[row.n - 1] = row;
    return found;
  }
}
