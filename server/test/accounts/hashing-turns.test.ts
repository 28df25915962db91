import { describe, expect, test } from 'vitest';
import { HashingBusy, HashingTurns } from '../../src/accounts/hashing-turns.js';

/** Work that ends when the test says so. */
function openWork(turns: HashingTurns) {
  const begun: string[] = [];
  const ends: Record<string, () => void> = {};
  const start = (name: string, first = false) =>
    turns.run(() => {
      begun.push(name);
      return new Promise<string>((resolve) => {
        ends[name] = () => resolve(name);
      });
    }, first);
  return { begun, start, end: (name: string) => ends[name]!() };
}

describe('hashing', () => {
  test('runs two at a time; the rest waits in order, known devices before others', async () => {
    const { begun, start, end } = openWork(new HashingTurns(2, 3, 1));
    const all = [start('a'), start('b'), start('c'), start('d'), start('known', true)];
    expect(begun).toEqual(['a', 'b']);
    end('a');
    await all[0];
    expect(begun).toEqual(['a', 'b', 'known']);
    end('b');
    await all[1];
    expect(begun).toEqual(['a', 'b', 'known', 'c']);
    for (const [index, name] of [
      [4, 'known'],
      [2, 'c'],
      [3, 'd'],
    ] as const) {
      end(name);
      expect(await all[index]).toBe(name);
    }
  });

  test('refuses what finds the queue full; known devices have places of their own', async () => {
    const { begun, start } = openWork(new HashingTurns(1, 1, 1));
    void start('runs');
    void start('waits');
    await expect(start('too many')).rejects.toBeInstanceOf(HashingBusy);
    void start('known', true);
    await expect(start('known too many', true)).rejects.toBeInstanceOf(HashingBusy);
    expect(begun).toEqual(['runs']);
  });

  test('gives the place of work that failed to the next', async () => {
    const turns = new HashingTurns(1, 1, 1);
    await expect(turns.run(() => Promise.reject(new Error('no memory')))).rejects.toThrow('no memory');
    expect(await turns.run(async () => 'next')).toBe('next');
  });
});
