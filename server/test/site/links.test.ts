import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureDemo } from '../../src/commands/demo.js';
import { type Feira, openFeira } from '../support/feira.js';
import { temporaryFolder } from '../support/process.js';

const ORIGIN = 'http://feira.test';

let feira: Feira;
let folder: ReturnType<typeof temporaryFolder>;
let slug: string;

beforeAll(async () => {
  feira = await openFeira();
  folder = temporaryFolder();
  slug = (await ensureDemo(feira.context, folder.path)).slug;
});
afterAll(async () => {
  await feira.close();
  folder.remove();
});

/** Returns the addresses in the href and src attributes of a page, and the ids that can be link targets. */
function referencesIn(html: string, base: string) {
  const links = [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, link]) =>
    link!.replaceAll('&amp;', '&'),
  );
  const ids = new Set([...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id!));
  return { links: links.map((link) => new URL(link, base)), ids };
}

test('no internal link on any page that a visitor can reach is broken', async () => {
  const waiting = ['/', '/?lang=pt', '/docs', '/sign-in', '/partners', `/s/${slug}`];
  const seen = new Map<string, Set<string>>();
  const anchors: [string, URL][] = [];
  const broken: string[] = [];
  while (waiting.length > 0) {
    const path = waiting.pop()!;
    if (seen.has(path)) continue;
    seen.set(path, new Set());
    const answer = await feira.app.inject({ url: path, headers: { accept: 'text/html' } });
    if (answer.statusCode >= 400) broken.push(`${path} is ${answer.statusCode}`);
    const { location } = answer.headers;
    if (location) {
      const { pathname, search } = new URL(String(location), ORIGIN + path);
      waiting.push(pathname + search);
    }
    if (!String(answer.headers['content-type']).startsWith('text/html')) continue;
    const { links, ids } = referencesIn(answer.body, ORIGIN + path);
    seen.set(path, ids);
    for (const link of links) {
      if (link.origin !== ORIGIN) continue;
      if (link.hash !== '') anchors.push([path, link]);
      waiting.push(link.pathname + link.search);
    }
  }
  for (const [from, { pathname, search, hash }] of anchors)
    if (!seen.get(pathname + search)?.has(decodeURIComponent(hash.slice(1))))
      broken.push(`${from} links to ${pathname}${hash}`);
  expect(broken).toEqual([]);
  expect(seen.size).toBeGreaterThan(100);
});
