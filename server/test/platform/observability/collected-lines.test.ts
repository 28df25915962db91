import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CollectedLines } from '../../../src/platform/observability/collected-lines.js';

let written: string[];
let flushed: number;
let lines: CollectedLines;

beforeEach(() => {
  vi.useFakeTimers();
  written = [];
  flushed = 0;
  lines = new CollectedLines({ write: (text) => written.push(text), flushSync: () => flushed++ });
});
afterEach(() => vi.useRealTimers());

test('lines are written together after a quarter of a second, in their order', () => {
  for (const line of ['a\n', 'b\n', 'c\n']) lines.write(line);
  vi.advanceTimersByTime(249);
  expect(written).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(written).toEqual(['a\nb\nc\n']);
  lines.write('d\n');
  vi.advanceTimersByTime(250);
  expect(written).toEqual(['a\nb\nc\n', 'd\n']);
});

test('many lines are written without waiting, and none is written twice', () => {
  const line = `${'x'.repeat(299)}\n`;
  for (let count = 0; count < 1_000; count++) lines.write(line);
  expect(written.length).toBeGreaterThan(1);
  vi.advanceTimersByTime(250);
  expect(written.join('')).toBe(line.repeat(1_000));
});

test('flushSync writes the remaining lines at once', () => {
  lines.write('fatal\n');
  lines.flushSync();
  expect([written, flushed]).toEqual([['fatal\n'], 1]);
  vi.advanceTimersByTime(250);
  expect(written).toEqual(['fatal\n']);
});

test.each(['process.exit(0)', 'throw new Error("unexpected")', ''])(
  'a process that ends with "%s" has written all its lines',
  (end) => {
    const log = new URL('../../../src/platform/observability/log.js', import.meta.url);
    const program = `
      const { createLog } = await import(${JSON.stringify(log.href.replace('/src/', '/dist/'))});
      const log = createLog('info');
      for (let number = 0; number < 1_000; number++) log.info({ number }, 'counted');
      ${end}`;
    const args = ['--input-type=module', '--eval', `${program}`];
    let output: string;
    try {
      output = execFileSync(process.execPath, args, {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
    } catch (error) {
      output = (error as { stdout: string }).stdout;
    }
    // When the process ends while a write is running, the remaining lines may be written before those of that write.
    const numbers = output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).number)
      .sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 1_000 }, (_, number) => number));
  },
);
