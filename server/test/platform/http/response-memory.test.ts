import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, expect, test, vi } from 'vitest';
import { ResponseMemory } from '../../../src/platform/http/response-memory.js';

afterEach(() => {
  vi.useRealTimers();
});

const response = () => new EventEmitter() as unknown as ServerResponse;

function bodyIn(memory: ResponseMemory, key: string): string | undefined {
  const found = memory.find(key);
  return found && memory.bodyOf(key, found, response())?.toString();
}

const store = (memory: ResponseMemory, key: string, body: string, version = '1') =>
  memory.store(key, { version, etag: undefined }, body);

test('a newer version of a response replaces the older one, which can no longer be sent', () => {
  const memory = new ResponseMemory();
  store(memory, 'a', 'old');
  const old = memory.find('a')!;
  store(memory, 'a', 'new', '2');
  expect(memory.bodyOf('a', old, response())).toBeUndefined();
  expect(memory.find('a')!.version).toBe('2');
  expect(bodyIn(memory, 'a')).toBe('new');
});

test('a response that is requested repeatedly stays, while others that were stored later are removed', () => {
  const memory = new ResponseMemory(10_000);
  store(memory, 'repeated', 'x'.repeat(1_000));
  for (let n = 0; n < 40; n++) {
    store(memory, `once ${n}`, String(n).repeat(500));
    expect(bodyIn(memory, 'repeated')).toBe('x'.repeat(1_000));
  }
  expect(memory.find('once 0')).toBeUndefined();
  expect(bodyIn(memory, 'once 39')).toBe('39'.repeat(500));
});

test('a response is not found a minute after it was read from the database, even if it was sent since then', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const memory = new ResponseMemory(2_000);
  store(memory, 'a', 'x'.repeat(600));
  vi.advanceTimersByTime(40_000);
  store(memory, 'b', 'y'.repeat(600));
  store(memory, 'c', 'z'.repeat(600));
  // This body is in the oldest quarter of the ring, so it is written again.
  expect(bodyIn(memory, 'a')).toBe('x'.repeat(600));
  vi.advanceTimersByTime(20_001);
  expect(memory.find('a')).toBeUndefined();
  expect(bodyIn(memory, 'c')).toBe('z'.repeat(600));
});

test('a body above 256 kB is not stored, and neither is the version that it replaces', () => {
  const memory = new ResponseMemory();
  store(memory, 'a', 'small');
  store(memory, 'a', 'x'.repeat(262_145), '2');
  expect(memory.find('a')).toBeUndefined();
});

test('at most 20,000 responses are stored, however small they are', () => {
  const memory = new ResponseMemory();
  for (let n = 0; n <= 20_000; n++) store(memory, `list ${n}`, '{}');
  expect(memory.find('list 0')).toBeUndefined();
  expect(bodyIn(memory, 'list 1')).toBe('{}');
  for (let n = 0; n < 20_000; n++) store(memory, 'changing', '{}', String(n));
  expect(memory.find('list 20000')).toBeUndefined();
  expect(memory.find('changing')!.version).toBe('19999');
});
