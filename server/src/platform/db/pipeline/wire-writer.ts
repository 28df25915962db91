import pg from 'pg';

const FIRST_SIZE = 16_384;
const { prepareValue } = (
  pg as unknown as { utils: { prepareValue(value: unknown): string | Buffer | null } }
).utils;

/** Appends messages of PostgreSQL's extended query protocol to a buffer that is sent in one write. */
export class WireWriter {
  private buffer = Buffer.allocUnsafe(FIRST_SIZE);
  private end = 0;

  /**
   * Writes one execution of a statement with its values, followed by a Sync so that it fails or succeeds independently
   * of other statements. If `text` is given, the statement is first parsed under its name and a description of its
   * columns is requested.
   */
  statement(name: string, text: string | undefined, values: readonly unknown[]): void {
    // Values are converted before anything is written, because a value that cannot be converted must not leave half a
    // statement in the buffer.
    const prepared = values.map(prepareValue);
    if (text !== undefined) this.parse(name, text);
    const bind = this.begin('B');
    this.text('');
    this.text(name);
    this.int16(prepared.length);
    for (const value of prepared) this.int16(value instanceof Buffer ? 1 : 0);
    this.int16(prepared.length);
    for (const value of prepared) this.value(value);
    this.int16(0);
    this.finish(bind);
    this.bytes(EXECUTE_AND_SYNC);
  }

  /**
   * Writes the message that drops a prepared statement. The message has no Sync of its own and takes effect together
   * with the next statement.
   */
  forget(name: string): void {
    const close = this.begin('C');
    this.byte('S');
    this.text(name);
    this.finish(close);
  }

  /** Returns everything written since the last call. */
  take(): Buffer {
    const written = this.buffer.subarray(0, this.end);
    // The socket may still reference these bytes, so the next messages are written after them.
    this.buffer = this.buffer.subarray(this.end);
    this.end = 0;
    return written;
  }

  private parse(name: string, text: string): void {
    const parse = this.begin('P');
    this.text(name);
    this.text(text);
    this.int16(0);
    this.finish(parse);
    const describe = this.begin('D');
    this.byte('S');
    this.text(name);
    this.finish(describe);
  }

  private begin(type: string): number {
    this.byte(type);
    this.reserve(4);
    this.end += 4;
    return this.end - 4;
  }

  private finish(start: number): void {
    this.buffer.writeInt32BE(this.end - start, start);
  }

  private value(value: string | Buffer | null): void {
    const start = this.end;
    this.int32(-1);
    if (value === null) return;
    if (typeof value === 'string') this.utf8(value);
    else this.bytes(value);
    this.buffer.writeInt32BE(this.end - start - 4, start);
  }

  private text(value: string): void {
    this.utf8(value);
    this.byte('\0');
  }

  private utf8(value: string): void {
    this.reserve(value.length * 3);
    this.end += this.buffer.write(value, this.end);
  }

  private bytes(value: Buffer): void {
    this.reserve(value.length);
    this.end += value.copy(this.buffer, this.end);
  }

  private byte(character: string): void {
    this.reserve(1);
    this.buffer[this.end++] = character.charCodeAt(0);
  }

  private int16(value: number): void {
    this.reserve(2);
    this.end = this.buffer.writeInt16BE(value, this.end);
  }

  private int32(value: number): void {
    this.reserve(4);
    this.end = this.buffer.writeInt32BE(value, this.end);
  }

  private reserve(size: number): void {
    if (this.end + size <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(FIRST_SIZE, (this.end + size) * 2));
    this.buffer.copy(larger, 0, 0, this.end);
    this.buffer = larger;
  }
}

const EXECUTE_AND_SYNC = Buffer.from('E\0\0\0\x09\0\0\0\0\0S\0\0\0\x04', 'latin1');
