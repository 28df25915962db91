import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApiRoute } from '../src/app.js';
import { readPages, type SampleForm } from './support/every-form.js';
import { expectErrorShape } from './support/expect-rejected.js';
import { type Feira, openFeira } from './support/feira.js';
import { malformedForm, malformedFormHeaders } from './support/malformed-forms.js';
import {
  malformedBody,
  malformedHeaders,
  malformedParameter,
  malformedQuery,
} from './support/malformed-input.js';
import { type PopulatedStore, parametersOf, populate } from './support/populated-store.js';
import { keyOf, sampleBodies } from './support/sample-bodies.js';
import { sized } from './support/sized.js';
import { cpuOf } from './support/thread-cpu.js';

// Sends invalid input to every API route, and to the forms and pages that readPages() finds. No response may be a 5xx.

/** `npm run test:fuzz` sets FEIRA_FUZZ_REQUESTS, by default to 200,000. Each such run has a new seed. */
const LONG = process.env.FEIRA_FUZZ_REQUESTS !== undefined;
const REQUESTS = sized(500, 3_000, 'FEIRA_FUZZ_REQUESTS');
// Without FEIRA_FUZZ_REQUESTS the seed is fixed, so that a failure is reproducible. fast-check prints the seed and the
// smallest failing call. FEIRA_FUZZ_SEED repeats a run.
const SEED = Number(process.env.FEIRA_FUZZ_SEED ?? (LONG ? Date.now() % 1_000_000_000 : 20_261_115));
const TIMEOUT_MS = 120_000 + REQUESTS * 40;

let feira: Feira;
let populated: PopulatedStore;
let slowest = { route: '', ms: 0 };

beforeAll(async () => {
  feira = await openFeira();
  populated = await populate(feira);
});
afterAll(async () => {
  if (LONG)
    console.log(
      `fuzz: seed ${SEED}, ${REQUESTS} requests; the slowest took ${Math.round(slowest.ms)} ms of CPU time: ${slowest.route}`,
    );
  await feira.close();
});

interface Call {
  method: string;
  url: string;
  headers: Record<string, string | undefined>;
  payload?: string | Buffer | undefined;
}

/** Each of the two fuzz tests sends half of the requests, evenly divided among its targets. */
const runsFor = (targets: number) => ({ seed: SEED, numRuns: Math.ceil(REQUESTS / 2 / targets) });

async function send(route: string, { method, url, headers, payload }: Call) {
  const sent = Object.entries(headers).filter(([, value]) => value !== undefined);
  const { result, ms } = await cpuOf(() =>
    feira.app.inject({
      method: method as 'GET',
      url,
      headers: Object.fromEntries(sent) as Record<string, string>,
      ...(payload !== undefined && { payload }),
    }),
  );
  if (ms > slowest.ms) slowest = { route, ms };
  expect(result.statusCode).toBeLessThan(500);
  return result;
}

function malformedFor(route: ApiRoute): fc.Arbitrary<Call> {
  const parameters = parametersOf(route.url, populated);
  const body =
    route.body === 'none' ? fc.constant(undefined) : malformedBody(sampleBodies(populated)[keyOf(route)]);
  return fc
    .record({
      values: fc.tuple(...parameters.map(({ value }) => malformedParameter(value))),
      query: malformedQuery,
      headers: malformedHeaders,
      payload: body,
    })
    .map(({ values, query, headers, payload }) => {
      let index = 0;
      const path = route.url.replace(/:\w+/g, () => values[index++] as string);
      return { method: route.method, url: path + query, headers, payload };
    });
}

async function sendToApi(route: ApiRoute, call: Call): Promise<number> {
  const authorization = `Bearer ${populated.store.token}`;
  const response = await send(keyOf(route), { ...call, headers: { authorization, ...call.headers } });
  const status = response.statusCode;
  if (status === 304 || call.method === 'HEAD') return status;
  const body = JSON.parse(response.body);
  // The body of a replayed response contains the id of the original request.
  const isReplay = response.headers['idempotent-replayed'] === 'true';
  const named = isReplay ? { ...response.headers, 'x-request-id': body.requestId } : response.headers;
  if (status >= 400) expectErrorShape({ status, headers: named, body });
  else expect(body).toEqual(expect.any(Object));
  // Delete the new resource. Otherwise its name would stay taken, or the limit on subscriptions would be reached, and
  // every later call would be rejected for that reason.
  if (status === 201) await populated.store.delete(`${route.url.replace('/api/v1', '')}/${body.id}`);
  return status;
}

test('no invalid input to any API route causes a 5xx, and every error has the error format', {
  timeout: TIMEOUT_MS,
}, async () => {
  const routes = feira.app.apiRoutes;
  const seen = new Map<number, number>();
  for (const route of routes) {
    const property = fc.asyncProperty(malformedFor(route), async (call) => {
      const status = await sendToApi(route, call);
      seen.set(status, (seen.get(status) ?? 0) + 1);
    });
    await fc.assert(property, runsFor(routes.length));
    // Use a new store, because the calls may have deleted resources that later routes need.
    if (route.method === 'DELETE') populated = await populate(feira);
  }
  // The test would prove nothing if the first check rejected all input.
  const reached = REQUESTS >= 3_000 ? [200, 201, 400, 404, 422] : [200, 400, 404, 422];
  for (const status of reached) expect(seen.get(status) ?? 0, `${status}`).toBeGreaterThan(10);
});

test('no invalid input to any form or its page causes a 5xx', { timeout: TIMEOUT_MS }, async () => {
  const { forms, visited } = await readPages(feira);
  const byAction = [...new Map(forms.map((form) => [form.url.split('?')[0], form])).values()];
  const targets = byAction.length + visited.length;
  const isLast = ({ url }: SampleForm) => Number(url === '/sign-out');
  for (const { url, cookie } of visited) {
    const calls = fc.tuple(malformedQuery, malformedHeaders, fc.boolean());
    const property = fc.asyncProperty(calls, async ([query, headers, keepsQuery]) => {
      const address = keepsQuery
        ? url + query.replace('?', url.includes('?') ? '&' : '?')
        : url.split('?')[0] + query;
      await send(`GET ${url}`, { method: 'GET', url: address, headers: { ...headers, cookie } });
    });
    await fc.assert(property, runsFor(targets));
  }
  for (const { url, fields, cookie } of byAction.sort((a, b) => isLast(a) - isLast(b))) {
    const property = fc.asyncProperty(
      malformedForm(fields),
      malformedFormHeaders,
      async (payload, headers) => {
        await send(`POST ${url}`, { method: 'POST', url, headers: { ...headers, cookie }, payload });
      },
    );
    await fc.assert(property, runsFor(targets));
  }
});

test('the server still works after the invalid input', async () => {
  const { store } = populated;
  const { body } = await store.post('/products', { name: 'Afterwards', price: 1, quantity: 2 });
  expect((await store.get(`/products/${body.id}`)).body).toMatchObject({ name: 'Afterwards', quantity: 2 });
  expect((await feira.app.inject('/readyz')).statusCode).toBe(200);
});
