import type { Duplex } from 'node:stream';
import type pg from 'pg';
import type { Connection } from '../connection.js';
import { InFlight } from '../in-flight.js';
import { openSession, type Session } from '../session.js';
import type { Deadlines } from '../settings.js';
import type { Statement } from '../sql.js';
import { DatabaseUnavailable } from '../unavailable.js';
import { type Column, type RawColumns, rowIn, type WireHandler, WireReader } from './wire-reader.js';
import { WireWriter } from './wire-writer.js';

/**
 * A driver that implements PostgreSQL's extended query protocol on a connection that pg has opened and authenticated.
 * It does much less work per row than pg's client: a list of 50 products took 330–410 instead of 570–710 µs of CPU
 * time (see docs/decisions/0011). Set FEIRA_DB_DRIVER=pg to use pg's client instead.
 */
export async function connectPipeline(
  connection: pg.ClientConfig,
  deadlines: Deadlines,
): Promise<Connection> {
  const session = await openSession(connection, deadlines);
  return new PipelineConnection(session, streamOf(session.client), deadlines.answerMs);
}

/** Reads a private property of pg. With TLS, this stream differs from the socket that we passed to pg. */
function streamOf(client: pg.Client): Duplex {
  const { stream } = (client as unknown as { connection?: { stream?: Duplex } }).connection ?? {};
  if (!stream) throw new Error('the pipeline driver cannot use this version of pg. Set FEIRA_DB_DRIVER=pg');
  return stream;
}

/**
 * The result of parsing a statement at its first use. Later uses are sent by name only, possibly before the response to
 * the first has arrived. They share its columns or its error.
 */
interface Prepared {
  isParsed: boolean;
  failure: Error | undefined;
  columns: Column[];
}

interface Pending {
  since: number;
  prepared: Prepared;
  rawColumns: RawColumns;
  rows: unknown[];
  error: Error | undefined;
  name: string;
  resolve(rows: never[]): void;
  reject(error: Error): void;
}

/**
 * Limits the memory of the backend: PostgreSQL keeps up to 100 kB for each prepared statement, and a list has a
 * different statement for every combination of limit, sort and filters.
 */
const MAX_PREPARED_STATEMENTS = 300;

class PipelineConnection implements Connection, WireHandler {
  isOpen = true;
  private readonly writer = new WireWriter();
  private readonly statements = new Map<string, Prepared>();
  private readonly inFlight: InFlight<Pending>;
  private isFlushPlanned = false;

  constructor(
    private readonly session: Session,
    private readonly stream: Duplex,
    answerMs: number,
  ) {
    this.inFlight = new InFlight(answerMs, (error) => this.destroy(error));
    session.client.on('error', (error) => this.lose(error));
    session.client.on('end', () => this.lose(new Error('the database closed the connection')));
    const reader = new WireReader(this);
    stream.removeAllListeners('data');
    stream.on('data', (chunk: Buffer) => reader.read(chunk));
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
      const name = statement.name ?? '';
      const known = this.statements.get(name);
      const prepared = known ?? { isParsed: false, failure: undefined, columns: [] };
      if (!known && this.statements.size >= MAX_PREPARED_STATEMENTS) this.forgetOldest();
      this.writer.statement(name, known ? undefined : statement.text, statement.values);
      if (!known && name !== '') this.statements.set(name, prepared);
      const { rawColumns } = statement;
      const since = performance.now();
      this.inFlight.add({ since, prepared, rawColumns, rows: [], error: undefined, name, resolve, reject });
      if (!this.isFlushPlanned) this.planFlush();
    });
  }

  destroy(reason: Error): void {
    this.lose(reason);
    this.session.socket.destroy();
  }

  async close(): Promise<void> {
    this.flush();
    this.isOpen = false;
    await this.session.client.end();
  }

  parsed(): void {
    const { first } = this.inFlight;
    if (first) first.prepared.isParsed = true;
  }

  columns(columns: Column[]): void {
    const { first } = this.inFlight;
    if (first) first.prepared.columns = columns;
  }

  row(bytes: Buffer, at: number): void {
    const { first } = this.inFlight;
    first?.rows.push(rowIn(first.prepared.columns, first.rawColumns, bytes, at));
  }

  failed(error: Error): void {
    const { first } = this.inFlight;
    if (!first) {
      // No statement is pending, so this is PostgreSQL's reason for closing the session.
      this.lose(error);
      return;
    }
    const { prepared, name } = first;
    if (prepared.isParsed) {
      first.error = error;
      return;
    }
    // The statement could not be parsed. Further uses of it that were already sent would only report an unknown
    // statement name, so they are rejected with the original error.
    prepared.failure ??= error;
    first.error = prepared.failure;
    // The next use must send the text again. If a later use has already done so, the entry belongs to it and stays.
    if (this.statements.get(name) === prepared) this.statements.delete(name);
  }

  ready(): void {
    const answered = this.inFlight.answered();
    if (!answered) return;
    if (answered.error) answered.reject(answered.error);
    else answered.resolve(answered.rows as never[]);
  }

  /**
   * Statements that are sent together, such as BEGIN and the first statement of a transaction, are written with one
   * system call, which wakes PostgreSQL once. Statements of different requests are not combined, so that PostgreSQL
   * works on one request while this process reads the next.
   */
  private planFlush(): void {
    this.isFlushPlanned = true;
    process.nextTick(() => this.flush());
  }

  private flush(): void {
    if (this.isFlushPlanned && this.isOpen) this.stream.write(this.writer.take());
    this.isFlushPlanned = false;
  }

  /** Closes the oldest prepared statement. It is parsed again at its next use. */
  private forgetOldest(): void {
    const [name] = this.statements.keys();
    this.statements.delete(name!);
    this.writer.forget(name!);
  }

  private lose(error: Error): void {
    this.isOpen = false;
    this.inFlight.failAll(error);
  }
}
