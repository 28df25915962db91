import pg from 'pg';
import { parseColumn } from './db-types.js';

export interface Column {
  name: string;
  parse(text: string): unknown;
}

/** What the answers to a statement are told to. */
export interface WireHandler {
  parsed(): void;
  columns(columns: Column[]): void;
  row(bytes: Buffer, at: number): void;
  failed(error: Error): void;
  /** The end of one execution, whether it failed or not. */
  ready(): void;
}

const HEADER = 5;

/** Cuts what PostgreSQL sends into messages. Notices and changes of settings are of no interest here. */
export class WireReader {
  private rest: Buffer | undefined;

  constructor(private readonly handler: WireHandler) {}

  read(chunk: Buffer): void {
    const bytes = this.rest ? Buffer.concat([this.rest, chunk]) : chunk;
    let at = 0;
    while (bytes.length - at >= HEADER) {
      const end = at + 1 + bytes.readInt32BE(at + 1);
      if (end > bytes.length) break;
      this.message(bytes[at] as number, bytes, at + HEADER, end);
      at = end;
    }
    this.rest = at < bytes.length ? bytes.subarray(at) : undefined;
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
 * A row as an object by column name. A column named `json` is left as the bytes that arrived: they are sent on as they
 * are, and decoding and encoding them again cost a tenth of a request.
 */
export function rowIn(columns: Column[], bytes: Buffer, start: number): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  let at = start + 2;
  for (const { name, parse } of columns) {
    const length = bytes.readInt32BE(at);
    at += 4;
    if (length === -1) {
      row[name] = null;
      continue;
    }
    row[name] =
      name === 'json' ? bytes.subarray(at, at + length) : parse(bytes.toString('utf8', at, at + length));
    at += length;
  }
  return row;
}

function columnsIn(bytes: Buffer, start: number): Column[] {
  let at = start + 2;
  return Array.from({ length: bytes.readInt16BE(start) }, () => {
    const end = bytes.indexOf(0, at);
    const name = bytes.toString('utf8', at, end);
    // Table (4), number of the column (2), type (4), its length (2), modifier (4), format (2).
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
