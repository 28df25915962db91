import pg from 'pg';
import { parseColumn } from '../column-types.js';

export interface Column {
  name: string;
  parse(text: string): unknown;
}

/** The names of result columns that are returned as undecoded bytes. */
export type RawColumns = readonly string[] | undefined;

/** Receives the parts of the response to a statement. */
export interface WireHandler {
  parsed(): void;
  columns(columns: Column[]): void;
  row(bytes: Buffer, at: number): void;
  failed(error: Error): void;
  /** Called at the end of each execution, whether it succeeded or failed. */
  ready(): void;
}

const HEADER = 5;

/** Splits the byte stream from PostgreSQL into messages. Messages that the handler does not need are ignored. */
export class WireReader {
  /**
   * The received pieces of an incomplete message. They are joined once `needed` bytes have arrived, because joining
   * after each piece takes quadratic time.
   */
  private pieces: Buffer[] = [];
  private size = 0;
  /** The number of bytes to wait for: those of the header, or of the whole message once its length is known. */
  private needed = HEADER;

  constructor(private readonly handler: WireHandler) {}

  read(chunk: Buffer): void {
    if (this.size === 0) {
      this.messages(chunk);
      return;
    }
    this.pieces.push(chunk);
    this.size += chunk.length;
    if (this.size < this.needed) return;
    const bytes = Buffer.concat(this.pieces, this.size);
    this.pieces = [];
    this.size = 0;
    this.messages(bytes);
  }

  private messages(bytes: Buffer): void {
    let at = 0;
    this.needed = HEADER;
    while (bytes.length - at >= HEADER) {
      const end = at + 1 + bytes.readInt32BE(at + 1);
      if (end > bytes.length) {
        this.needed = end - at;
        break;
      }
      this.message(bytes[at] as number, bytes, at + HEADER, end);
      at = end;
    }
    if (at === bytes.length) return;
    this.pieces = [bytes.subarray(at)];
    this.size = bytes.length - at;
  }

  private message(type: number, bytes: Buffer, at: number, end: number): void {
    if (type === DATA_ROW) this.handler.row(bytes, at);
    else if (type === READY_FOR_QUERY) this.handler.ready();
    else if (type === ROW_DESCRIPTION) this.handler.columns(columnsIn(bytes, at));
    else if (type === PARSE_COMPLETE) this.handler.parsed();
    else if (type === ERROR_RESPONSE) this.handler.failed(errorIn(bytes, at, end));
  }
}

const DATA_ROW = 'D'.charCodeAt(0);
const READY_FOR_QUERY = 'Z'.charCodeAt(0);
const ROW_DESCRIPTION = 'T'.charCodeAt(0);
const PARSE_COMPLETE = '1'.charCodeAt(0);
const ERROR_RESPONSE = 'E'.charCodeAt(0);

/**
 * Builds an object from a row, keyed by column name. Raw columns stay bytes because they are sent to the client
 * unchanged: decoding and encoding them again would add a tenth to the time of a request.
 */
export function rowIn(
  columns: Column[],
  rawColumns: RawColumns,
  bytes: Buffer,
  start: number,
): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  let at = start + 2;
  for (const { name, parse } of columns) {
    const length = bytes.readInt32BE(at);
    at += 4;
    if (length === -1) {
      row[name] = null;
      continue;
    }
    row[name] = rawColumns?.includes(name)
      ? bytes.subarray(at, at + length)
      : parse(bytes.toString('utf8', at, at + length));
    at += length;
  }
  return row;
}

function columnsIn(bytes: Buffer, start: number): Column[] {
  let at = start + 2;
  return Array.from({ length: bytes.readInt16BE(start) }, () => {
    const end = bytes.indexOf(0, at);
    const name = bytes.toString('utf8', at, end);
    // The name ends with a zero byte. It is followed by: table (4 bytes), column number (2), type (4), type length (2),
    // modifier (4), format (2).
    const type = bytes.readUInt32BE(end + 7);
    at = end + 19;
    return { name, parse: parseColumn(type) };
  });
}

const FIELDS: Record<string, string> = {
  S: 'severity',
  C: 'code',
  D: 'detail',
  H: 'hint',
  W: 'where',
  s: 'schema',
  t: 'table',
  c: 'column',
  n: 'constraint',
};

function errorIn(bytes: Buffer, start: number, end: number): Error {
  const fields: Record<string, string> = {};
  for (let at = start; at < end && bytes[at] !== 0; ) {
    const stop = bytes.indexOf(0, at);
    fields[String.fromCharCode(bytes[at] as number)] = bytes.toString('utf8', at + 1, stop);
    at = stop + 1;
  }
  const error = new pg.DatabaseError(fields.M ?? 'unknown error', end - start, 'error');
  const known = Object.entries(FIELDS).filter(([letter]) => fields[letter] !== undefined);
  return Object.assign(error, Object.fromEntries(known.map(([letter, name]) => [name, fields[letter]])));
}
