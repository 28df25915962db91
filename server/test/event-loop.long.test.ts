import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EventLoopGuard } from './support/event-loop-guard.js';
import { isOf, type Pages, readPages } from './support/every-form.js';
import { type Feira, openFeira } from './support/feira.js';
import {
  HOSTILE_HEADERS,
  hostileBodies,
  hostileForms,
  hostilePlaces,
  hostileQueries,
  MAX_BYTES,
} from './support/hostile.js';
import { type PopulatedStore, pathOf, populate } from './support/populated-store.js';
import { keyOf, sampleBodies } from './support/sample-bodies.js';

// One thread serves all stores of a process, so no request may block it for long. These tests send large hostile
// inputs and measure the CPU time of each request on that thread.

/**
 * The maximum CPU time of a request with a JSON body of up to 1 MB, on the machine that thread-cpu.ts is calibrated
 * for. JSON.parse alone takes 50 to 90 ms for half a million nested arrays, and up to 270 ms on slower machines.
 * Quadratic work takes seconds for 64 kB and minutes for a megabyte.
 */
const MEGABYTE_BUDGET_MS = 500;
/** The maximum CPU time of a request with a form, a JSON body of at most 64 kB, or a long query, path or header. */
const BUDGET_MS = 50;
/** The size of the smaller JSON bodies, in which one field is hostile and the others are valid. */
const PLACE_BYTES = 65_536;

let feira: Feira;
let populated: PopulatedStore;
let pages: Pages;

beforeAll(async () => {
  feira = await openFeira();
  populated = await populate(feira);
  pages = await readPages(feira);
});
afterAll(() => feira.close());

const authorization = () => `Bearer ${populated.store.token}`;
const apiRoutes = () => feira.app.apiRoutes.filter(({ method }) => method !== 'HEAD');
const postRoutes = () =>
  feira.app.routeTable.filter(({ method, url }) => method === 'POST' && !url.startsWith('/api/v1/'));

test('every API route with a body has a sample body, and every POST route outside the API has a sample form', () => {
  const withBody = apiRoutes().filter(({ body }) => body !== 'none');
  expect(withBody.map(keyOf).sort()).toEqual(Object.keys(sampleBodies(populated)).sort());
  const unseen = postRoutes().filter((route) => !pages.forms.some(({ url }) => isOf(route.url, url)));
  expect(unseen).toEqual([]);
  expect(postRoutes().length).toBeGreaterThan(10);
});

test('no JSON body blocks the event loop', async () => {
  const large = new EventLoopGuard(feira, MEGABYTE_BUDGET_MS);
  const small = new EventLoopGuard(feira, BUDGET_MS);
  const headers = { authorization: authorization(), 'content-type': 'application/json' };
  const samples = sampleBodies(populated);
  for (const route of apiRoutes().filter(({ body }) => body !== 'none')) {
    const request = { method: route.method as 'POST', url: pathOf(route.url, populated), headers };
    for (const { name, payload } of hostilePlaces(samples[keyOf(route)], PLACE_BYTES))
      await small.measure(`${keyOf(route)}: ${name}`, { ...request, payload }, [401, 403, 413, 415]);
    for (const { name, payload } of [
      ...hostileBodies(MAX_BYTES),
      ...hostilePlaces(samples[keyOf(route)], MAX_BYTES),
    ])
      await large.measure(`${keyOf(route)}: ${name}`, { ...request, payload }, [401, 403, 413, 415]);
  }
  small.expectNoneTooSlow();
  large.expectNoneTooSlow();
});

test('no form blocks the event loop', async () => {
  const guard = new EventLoopGuard(feira, BUDGET_MS);
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  // Signing out comes last, because the forms belong to a signed-in session.
  const routes = postRoutes().sort((a, b) => Number(a.url === '/sign-out') - Number(b.url === '/sign-out'));
  for (const route of routes) {
    const { url, fields, cookie } = pages.forms.find((form) => isOf(route.url, form.url))!;
    const request = { method: 'POST' as const, url, headers: { ...type, cookie } };
    for (const { name, payload } of hostileForms(fields, await acceptedBytes(guard, request)))
      await guard.measure(`${route.url}: ${name}`, { ...request, payload }, [413, 415]);
  }
  guard.expectNoneTooSlow();
});

/** Returns the largest form size that this route accepts, out of MAX_BYTES, half of it, a quarter of it and so on. */
async function acceptedBytes(guard: EventLoopGuard, request: InjectOptions): Promise<number> {
  for (let bytes = MAX_BYTES; bytes > 8_000; bytes = Math.floor(bytes / 2))
    if ((await guard.send({ ...request, payload: `x=${'x'.repeat(bytes - 2)}` })) !== 413) return bytes;
  throw new Error(`${request.url} rejects even a form of 8 kB`);
}

test('no query and no path blocks the event loop', async () => {
  const guard = new EventLoopGuard(feira, BUDGET_MS);
  const { paths } = (await feira.app.inject('/openapi.json')).json() as {
    paths: Record<string, Record<string, { parameters?: { in: string; name: string }[] }>>;
  };
  const headers = { authorization: authorization() };
  for (const route of apiRoutes().filter(({ method }) => method === 'GET')) {
    const declared = paths[route.url.replace(/:(\w+)/g, '{$1}')]?.get?.parameters ?? [];
    const names = declared.filter((each) => each.in === 'query').map(({ name }) => name);
    const path = pathOf(route.url, populated);
    for (const { name, payload } of hostileQueries(names))
      await guard.measure(`GET ${route.url}: ${name}`, { url: `${path}?${payload}`, headers });
    if (!route.url.includes(':')) continue;
    for (const { name, payload } of hostileQueries(['']))
      await guard.measure(`GET ${route.url}: ${name} as an id`, {
        url: pathOf(route.url, populated, payload.replace(/[=&]/g, '')),
        headers,
      });
  }
  for (const { url, cookie } of pages.visited) {
    const [path, query = ''] = url.split('?');
    const names = [...new URLSearchParams(query).keys(), 'search', 'category', 'page', 'sort', 'next'];
    for (const { name, payload } of hostileQueries(names))
      await guard.measure(`GET ${path}: ${name}`, { url: `${path}?${payload}`, headers: { cookie } });
  }
  guard.expectNoneTooSlow();
});

test('no header blocks the event loop', async () => {
  const guard = new EventLoopGuard(feira, BUDGET_MS);
  const api = apiRoutes()
    .filter(({ method }) => method !== 'DELETE')
    .map((route) => ({
      method: route.method as 'GET',
      url: pathOf(route.url, populated),
      headers: { authorization: authorization(), 'content-type': 'application/json' },
      ...(route.body !== 'none' && { payload: JSON.stringify(sampleBodies(populated)[keyOf(route)]) }),
    }));
  const others = pages.visited.map(({ url, cookie }) => ({
    method: 'GET' as const,
    url,
    headers: { cookie },
  }));
  for (const request of [...api, ...others])
    for (const [name, headers] of Object.entries(HOSTILE_HEADERS))
      await guard.measure(`${request.method} ${request.url}: ${name}`, {
        ...request,
        headers: { ...request.headers, ...headers },
      });
  guard.expectNoneTooSlow();
});
