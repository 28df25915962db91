import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Connection } from '../../../src/platform/db/connection.js';
import { OpenConnections } from '../../../src/platform/db/open-connections.js';
import { Reads } from '../../../src/platform/db/reads.js';
import { type Statement, sql } from '../../../src/platform/db/sql.js';

// The test needs a certain order of sending and answering, so the connections are simulated and the clock is moved.

const SLOW_MS = 100;
const LIMITS = { connections: 4, perKey: 4, slowPerKey: 2, slow: 2, slowAfterMs: SLOW_MS, waitMs: 1_000_000 };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'setInterval', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

class SimulatedConnection implements Connection {
  isOpen = true;
  lastAnswerAt = 0;
  private readonly sent: { statement: Statement; resolve(rows: never[]): void }[] = [];

  get pending(): number {
    return this.sent.length;
  }

  query<R>(statement: Statement): Promise<R[]> {
    return new Promise((resolve) => this.sent.push({ statement, resolve }));
  }

  /** Answers the oldest statement. */
  async answer(): Promise<void> {
    this.sent.shift()!.resolve([]);
    await vi.advanceTimersByTimeAsync(0);
  }

  destroy(): void {}
  async close(): Promise<void> {}
}

async function openReads(): Promise<{ reads: Reads; connections: SimulatedConnection[] }> {
  const connections: SimulatedConnection[] = [];
  const connect = async () => {
    connections.push(new SimulatedConnection());
    return connections.at(-1)!;
  };
  const reads = new Reads(new OpenConnections({ idleMs: 1_000_000, answerMs: 1_000 }), connect, LIMITS);
  await reads.ready();
  return { reads, connections };
}

async function send(reads: Reads, store: string): Promise<void> {
  void reads.query(store, sql`select 1`);
  await vi.advanceTimersByTimeAsync(0);
}

const becomeSlow = () => vi.advanceTimersByTimeAsync(SLOW_MS + 1);

test('a slow read that is answered on two connections frees only one place for slow reads', async () => {
  const { reads, connections } = await openReads();
  await send(reads, 'a');
  await send(reads, 'b');
  // The read of store a is slow, so the read of store b, which waits behind it, is sent again on a second connection.
  await becomeSlow();
  expect(connections.map(({ pending }) => pending)).toEqual([2, 1]);
  // On that connection the read of b is slow, too. Then both connections answer.
  await becomeSlow();
  await connections[1]!.answer();
  await connections[0]!.answer();
  await connections[0]!.answer();
  expect(connections.map(({ pending }) => pending)).toEqual([0, 0]);

  // All stores together may still have only two slow reads: the slow read of c takes one place, and the next read of
  // c waits, because the last free place is kept for another store.
  await send(reads, 'c');
  await becomeSlow();
  await send(reads, 'c');
  expect(connections.map(({ pending }) => pending)).toEqual([1, 0]);
});
