import type { ServerResponse } from 'node:http';

/** Smaller pieces are copied when they are sent, which costs less than waiting for the end of the response. */
const MIN_LENT_BYTES = 8_192;

/** A part of the memory of the ring, from `from` up to but not including `to`. */
interface Range {
  from: number;
  to: number;
}

/**
 * Memory of a fixed size for pieces of bytes. Each new piece is written behind the last one, over the oldest ones. The
 * position of a piece is the number of bytes that had been used before it since the ring was created.
 */
export class Ring {
  private memory: Buffer | undefined;
  private used = 0;
  /** The pieces that are being sent. They are not overwritten. */
  private readonly lent = new Set<Range>();

  constructor(private readonly size: number) {}

  isOverwritten(position: number): boolean {
    return position < this.used - this.size;
  }

  /** Whether the piece is in the quarter of the ring that is overwritten first. */
  isOld(position: number): boolean {
    return position < this.used - this.size * 0.75;
  }

  /** Returns the position of the new piece, or undefined if there is no room because of the pieces that are being sent. */
  write(piece: Buffer): number | undefined {
    const position = this.positionFor(piece.length);
    if (position === undefined) return undefined;
    // The operating system provides the memory only as it is written to.
    this.memory ??= Buffer.allocUnsafeSlow(this.size);
    this.memory.set(piece, position % this.size);
    this.used = position + piece.length;
    return position;
  }

  /** Returns a piece that is not overwritten. It must not be used any more when the response is closed. */
  read(position: number, length: number, response: ServerResponse): Buffer {
    const from = position % this.size;
    const range = { from, to: from + length };
    const piece = (this.memory as Buffer).subarray(range.from, range.to);
    if (length < MIN_LENT_BYTES || response.closed) return Buffer.from(piece);
    this.lent.add(range);
    response.once('close', () => this.lent.delete(range));
    return piece;
  }

  private positionFor(length: number): number | undefined {
    let position = this.used;
    while (position + length <= this.used + this.size) {
      const from = position % this.size;
      const obstacle = this.obstacleFor({ from, to: from + length });
      if (obstacle === undefined) return position;
      position += obstacle - from;
    }
    return undefined;
  }

  /** Returns the end of what is in the way, which is a piece that is being sent or the end of the ring. */
  private obstacleFor({ from, to }: Range): number | undefined {
    if (to > this.size) return this.size;
    for (const lent of this.lent) if (lent.from < to && from < lent.to) return lent.to;
    return undefined;
  }
}
