import { expect, test } from 'vitest';
import { PageCache } from '../../../src/platform/html/page-cache.js';

const PAGE = 'x'.repeat(100_000);

/** Stores a page by rendering it twice, and returns its ETag. */
function store(cache: PageCache, workspaceId: string, key: string, version: string, html = PAGE): string {
  cache.keep(workspaceId, key, version, html);
  return cache.keep(workspaceId, key, version, html).etag;
}

test('the cache returns a page only for the store and the version that it was rendered for', () => {
  const cache = new PageCache();
  const etag = store(cache, 'store', 'page', '1');
  expect(cache.find('store', 'page', '1')?.etag).toBe(etag);
  expect(cache.find('store', 'page', '2')).toBeUndefined();
  expect(cache.find('other', 'page', '1')).toBeUndefined();
  expect(store(cache, 'store', 'page', '2', `${PAGE}!`)).not.toBe(etag);
  expect(cache.find('store', 'page', '1')).toBeUndefined();
  expect(cache.find('store', 'page', '2')).toBeDefined();
});

test('the cache stores a page when it is rendered for the second time at one version', () => {
  const cache = new PageCache();
  cache.keep('store', 'page', '1', PAGE);
  expect([cache.has('store', 'page'), cache.find('store', 'page', '1')]).toEqual([false, undefined]);
  cache.keep('store', 'page', '2', PAGE);
  expect([cache.has('store', 'page'), cache.find('store', 'page', '2')]).toEqual([false, undefined]);
  cache.keep('store', 'page', '2', PAGE);
  expect([cache.has('store', 'page'), cache.find('store', 'page', '2')?.bytes.toString()]).toEqual([
    true,
    PAGE,
  ]);
});

test('the cache holds at most 8 MB, and removes pages of a large store before those of a small one', () => {
  const cache = new PageCache();
  for (let at = 0; at < 10; at++) store(cache, 'small', `page ${at}`, '1');
  for (let at = 0; at < 1_000; at++) store(cache, 'large', `page ${at}`, '1');
  const kept = (store: string, count: number) =>
    Array.from({ length: count }, (_, at) => cache.find(store, `page ${at}`, '1')).filter(Boolean).length;
  expect(kept('small', 10)).toBe(10);
  expect(kept('large', 1_000)).toBeLessThanOrEqual(73);
  expect(kept('large', 1_000)).toBeGreaterThan(50);
  expect(cache.find('large', 'page 999', '1')).toBeDefined();
});
