import type { ServerResponse } from 'node:http';
import { Batcher } from '../concurrency/batcher.js';
import type { ResponseMemory } from '../http/response-memory.js';
import { isId } from '../schema/ids.js';
import type { Queryable } from './share.js';
import { arrayOf, raw, rawJson, type Statement, sql } from './sql.js';

/** A record as it is sent to clients. */
export interface FoundRecord {
  json: string | Buffer;
  /** A hash of the JSON, in quotation marks. */
  etag: string;
}

interface Row extends FoundRecord {
  version: string;
}

interface Key {
  workspaceId: string;
  id: string;
}

/** The position of the key of a row, beginning with 1. */
interface Numbered {
  n: number;
}

/** Selects the rows of records by their stores and ids, both PostgreSQL arrays of the same length. */
type Select = (workspaceIds: string, ids: string) => Statement;

export interface RecordStatements {
  /** Selects the version, the JSON and the ETag of records. */
  records: Select;
  /** Selects only the version. */
  versions: Select;
}

/**
 * Reads records by store and id, as JSON text. Up to 12 concurrent reads share one statement. For a record that is in
 * memory, PostgreSQL only returns the version of its row, which takes it a quarter of the time of a product.
 */
export class RecordReads {
  private readonly records = new Batcher(3, 12, (keys: Key[]) => this.readRecords(keys));
  private readonly versions = new Batcher(3, 12, (keys: Key[]) => this.readVersions(keys));

  constructor(
    private readonly db: Queryable,
    private readonly memory: ResponseMemory,
    private readonly statements: RecordStatements,
  ) {}

  /** Returns the record, which must be sent with this HTTP response. */
  async find(workspaceId: string, id: string, response: ServerResponse): Promise<FoundRecord | undefined> {
    if (!isId(id)) return undefined;
    const key = { workspaceId, id };
    const name = `${workspaceId} ${id}`;
    const known = this.memory.find(name);
    if (known && (await this.versions.submit(key)) === known.version) {
      const json = this.memory.bodyOf(name, known, response);
      if (json) return { json, etag: known.etag as string };
    }
    const record = await this.records.submit(key);
    if (record) this.memory.store(name, record, record.json);
    return record;
  }

  /** Reads one record through `tx`. Unlike in `find`, the read is not combined with others, and memory is not used. */
  async findIn(tx: Queryable, workspaceId: string, id: string): Promise<FoundRecord | undefined> {
    return isId(id) ? (await find<Row>(tx, this.statements.records, [{ workspaceId, id }]))[0] : undefined;
  }

  private readRecords(keys: Key[]): Promise<(Row | undefined)[]> {
    return find(this.db, this.statements.records, keys);
  }

  private async readVersions(keys: Key[]): Promise<(string | undefined)[]> {
    const rows = await find<{ version: string }>(this.db, this.statements.versions, keys);
    return rows.map((row) => row?.version);
  }
}

async function find<Row>(db: Queryable, select: Select, keys: Key[]): Promise<(Row | undefined)[]> {
  const rows = await db.query<Row & Numbered>(
    select(arrayOf(keys.map(({ workspaceId }) => workspaceId)), arrayOf(keys.map(({ id }) => id))),
  );
  const found: (Row | undefined)[] = keys.map(() => undefined);
  for (const row of rows) found[row.n - 1] = row;
  return found;
}

/** A table of records with the alias of its rows. */
interface Table {
  name: string;
  alias: string;
}

/**
 * Selects records by their stores and ids. `json` is an expression for the JSON of a row. Every change to what the JSON
 * contains must also update the row, because the version of a record consists of the id of the transaction that wrote
 * its row and the identity of the history (after a restore, the same ids are used again).
 */
export function selectRecords(table: Table, json: Statement, workspaceIds: string, ids: string): Statement {
  return sql`
    select n, version, ${rawJson(sql`json`, 'json')}, '"' || to_hex(hashtextextended(json, 0)) || '"' as etag
    from (select asked.n, ${versionOf(table)}, ${json} as json ${rowsOf(table, workspaceIds, ids)} offset 0) records`;
}

/** Selects only the versions of records. */
export function selectVersions(table: Table, workspaceIds: string, ids: string): Statement {
  return sql`select asked.n, ${versionOf(table)} ${rowsOf(table, workspaceIds, ids)}`;
}

function versionOf({ alias }: Table): Statement {
  return raw(`${alias}.xmin || '.' || (select hashtext(history_identity())) as version`);
}

/**
 * The arrays are in sub-selects to hide their length from the planner. Otherwise it would plan every execution again, to
 * suit the length.
 */
function rowsOf({ name, alias }: Table, workspaceIds: string, ids: string): Statement {
  const row = raw(alias);
  return sql`
    from unnest((select ${workspaceIds}::uuid[]), (select ${ids}::uuid[])) with ordinality as asked(workspace_id, id, n)
    join ${raw(name)} ${row} on ${row}.workspace_id = asked.workspace_id and ${row}.id = asked.id`;
}
