import { expect, test } from 'vitest';
import { PageCache } from '../../../src/platform/html/page-cache.js';

const PAGE = 'x'.repeat(100_000);

test('the cache returns a page only for the store and the version that it was rendered for', () => {
  const cache = new PageCache();
  const { etag } = cache.keep('store', 'page', '1', PAGE);
  expect(cache.find('store', 'page', '1')?.etag).toBe(etag);
  expect(cache.find('store', 'page', '2')).toBeUndefined();
  expect(cache.find('other', 'page', '1')).toBeUndefined();
  expect(cache.keep('store', 'page', '2', `${PAGE}!`).etag).not.toBe(etag);
  expect(cache.find('store', 'page', '1')).toBeUndefined();
});

test('the cache holds at most 8 MB, and removes pages of a large store before those of a small one', () => {
  const cache = new PageCache();
  for (let at = 0; at < 10; at++) cache.keep('small', `page ${at}`, '1', PAGE);
  for (let at = 0; at < 1_000; at++) cache.keep('large', `page ${at}`, '1', PAGE);
  const kept = (store: string, count: number) =>
    Array.from({ length: count }, (_, at) => cache.find(store, `page ${at}`, '1')).filter(Boolean).length;
  expect(kept('small', 10)).toBe(10);
  expect(kept('large', 1_000)).toBeLessThanOrEqual(73);
  expect(kept('large', 1_000)).toBeGreaterThan(50);
  expect(cache.find('large', 'page 999', '1')).toBeDefined();
});
