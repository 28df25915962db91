import type { Duplex } from 'node:stream';
import type pg from 'pg';
import type { Connection } from '../connection.js';
import { openSession, type Session } from '../session.js';
import type { Deadlines } from '../settings.js';
import type { Statement } from '../sql.js';
import { DatabaseUnavailable } from '../unavailable.js';
import { UnderWay } from '../under-way.js';
import { type Column, type RawColumns, rowIn, type WireHandler, WireReader } from './wire-reader.js';
import { WireWriter } from './wire-writer.js';

/**
 * The driver that speaks PostgreSQL's extended query protocol itself, on a stream that pg has opened and signed in.
 * Per row it does a fraction of what pg's client does: a list of 50 products took 330–410 instead of 570–710 µs of this
 * process's time (decision 11). FEIRA_DB_DRIVER=pg runs everything on pg's client.
 */
export async function connectPipeline(
  connection: pg.ClientConfig,
  deadlines: Deadlines,
): Promise<Connection> {
  const session = await openSession(connection, deadlines);
  return new PipelineConnection(session, streamOf(session.client), deadlines.answerMs);
}

/** The one private part of pg that is used: with TLS the stream is not the socket that we gave it. */
function streamOf(client: pg.Client): Duplex {
  const { stream } = (client as unknown as { connection?: { stream?: Duplex } }).connection ?? {};
  if (!stream) throw new Error('this version of pg does not show its stream; set FEIRA_DB_DRIVER=pg');
  return stream;
}

/**
 * What this connection knows of a statement, from the answer to its first use. Later uses are sent before that answer
 * has arrived, without the text, and share what it says.
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

/** PostgreSQL keeps up to 100 kB for each, and a list has a form for every limit, order and set of filters. */
const MOST_STATEMENTS = 300;

class PipelineConnection implements Connection, WireHandler {
  isOpen = true;
  private readonly writer = new WireWriter();
  private readonly statements = new Map<string, Prepared>();
  private readonly underWay: UnderWay<Pending>;

  constructor(
    private readonly session: Session,
    private readonly stream: Duplex,
    answerMs: number,
  ) {
    this.underWay = new UnderWay(answerMs, (error) => this.destroy(error));
    session.client.on('error', (error) => this.lose(error));
    session.client.on('end', () => this.lose(new Error('the connection to the database ended')));
    const reader = new WireReader(this);
    stream.removeAllListeners('data');
    stream.on('data', (chunk: Buffer) => reader.read(chunk));
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
      const name = statement.name ?? '';
      const known = this.statements.get(name);
      const prepared = known ?? { isParsed: false, failure: undefined, columns: [] };
      if (!known && this.statements.size >= MOST_STATEMENTS) this.forgetOldest();
      this.writer.statement(name, known ? undefined : statement.text, statement.values);
      if (!known && name !== '') this.statements.set(name, prepared);
      const { rawColumns } = statement;
      const since = performance.now();
      this.underWay.add({ since, prepared, rawColumns, rows: [], error: undefined, name, resolve, reject });
      this.stream.write(this.writer.take());
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

  parsed(): void {
    const { first } = this.underWay;
    if (first) first.prepared.isParsed = true;
  }

  columns(columns: Column[]): void {
    const { first } = this.underWay;
    if (first) first.prepared.columns = columns;
  }

  row(bytes: Buffer, at: number): void {
    const { first } = this.underWay;
    first?.rows.push(rowIn(first.prepared.columns, first.rawColumns, bytes, at));
  }

  failed(error: Error): void {
    const { first } = this.underWay;
    if (!first) {
      // Nothing was asked: PostgreSQL says why it is about to end the session.
      this.lose(error);
      return;
    }
    const { prepared, name } = first;
    if (prepared.isParsed) {
      first.error = error;
      return;
    }
    // It was the parsing that failed. Uses that were sent behind it only hear that there is no such statement; they are
    // rejected with the reason instead.
    prepared.failure ??= error;
    first.error = prepared.failure;
    // The next use has to parse it again, unless another has done so between the first and this one.
    if (this.statements.get(name) === prepared) this.statements.delete(name);
  }

  ready(): void {
    const answered = this.underWay.answered();
    if (!answered) return;
    if (answered.error) answered.reject(answered.error);
    else answered.resolve(answered.rows as never[]);
  }

  /** If it is used again, it is parsed again. */
  private forgetOldest(): void {
    const [name] = this.statements.keys();
    this.statements.delete(name!);
    this.writer.forget(name!);
  }

  private lose(error: Error): void {
    this.isOpen = false;
    this.underWay.failAll(error);
  }
}
