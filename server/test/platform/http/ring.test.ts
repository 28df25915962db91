import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Ring } from '../../../src/platform/http/ring.js';

const SIZE = 100_000;

/** A response that the test closes. */
class OpenResponse extends EventEmitter {
  closed = false;
  close(): void {
    this.closed = true;
    this.emit('close');
  }
}

function openResponse() {
  const response = new OpenResponse();
  return { asResponse: response as unknown as ServerResponse, close: () => response.close() };
}

/** Returns a piece whose bytes all have the same value, which differs from that of the pieces around it. */
const pieceOf = (length: number, n: number) => Buffer.alloc(length, (n % 255) + 1);

test('pieces keep their bytes until they are overwritten, and while they are being sent', () => {
  const action = fc.record({
    length: fc.integer({ min: 1, max: 30_000 }),
    reads: fc.array(fc.nat(), { maxLength: 3 }),
    closes: fc.array(fc.nat(), { maxLength: 3 }),
  });
  fc.assert(
    fc.property(fc.array(action, { minLength: 30, maxLength: 80 }), (actions) => {
      const ring = new Ring(SIZE);
      const written: { position: number; piece: Buffer }[] = [];
      const lent: { piece: Buffer; expected: Buffer; close(): void }[] = [];
      actions.forEach(({ length, reads, closes }, n) => {
        const piece = pieceOf(length, n);
        const position = ring.write(piece);
        if (position !== undefined) written.push({ position, piece });
        const readable = written.filter((each) => !ring.isOverwritten(each.position));
        for (const each of readable) {
          const { asResponse, close } = openResponse();
          expect(ring.read(each.position, each.piece.length, asResponse).equals(each.piece)).toBe(true);
          close();
        }
        for (const read of reads) {
          const chosen = readable[read % readable.length];
          if (!chosen) continue;
          const { asResponse, close } = openResponse();
          const copy = ring.read(chosen.position, chosen.piece.length, asResponse);
          lent.push({ piece: copy, expected: chosen.piece, close });
        }
        for (const close of closes) lent.splice(close % (lent.length || 1), 1)[0]?.close();
        for (const { piece: sent, expected } of lent) expect(sent.equals(expected)).toBe(true);
      });
    }),
    { numRuns: 60 },
  );
});

test('a piece is overwritten only after as many newer bytes as the ring has room for', () => {
  const ring = new Ring(SIZE);
  const first = ring.write(pieceOf(20_000, 1))!;
  for (let n = 2; n <= 5; n++) ring.write(pieceOf(20_000, n));
  expect(ring.isOverwritten(first)).toBe(false);
  ring.write(pieceOf(20_000, 6));
  expect(ring.isOverwritten(first)).toBe(true);
});

test('if all pieces are being sent, a new one has no room until one of the responses is closed', () => {
  const ring = new Ring(SIZE);
  const responses = [1, 2, 3, 4, 5].map((n) => {
    const position = ring.write(pieceOf(20_000, n))!;
    const response = openResponse();
    ring.read(position, 20_000, response.asResponse);
    return response;
  });
  expect(ring.write(pieceOf(20_000, 6))).toBeUndefined();
  responses[2]!.close();
  expect(ring.write(pieceOf(20_000, 7))).toBeDefined();
});

test('a piece for a response that is closed already does not occupy its place', () => {
  const ring = new Ring(SIZE);
  const { asResponse, close } = openResponse();
  close();
  for (let n = 1; n <= 20; n++) ring.read(ring.write(pieceOf(30_000, n))!, 30_000, asResponse);
  expect(ring.write(pieceOf(60_000, 21))).toBeDefined();
});
