import { expect, test } from 'vitest';
import { EventLoopGuard } from './support/event-loop-guard.js';
import { openFeira } from './support/feira.js';
import { hostilePlaces, MOST_BYTES } from './support/hostile.js';
import { pathOf, populate } from './support/populated-store.js';
import { keyOf, sampleBodies } from './support/sample-bodies.js';

/** As in event-loop.test.ts, which explains it. */
const MEGABYTE_BUDGET_MS = 200;

test('no megabyte in any place of a JSON body keeps the event loop', async () => {
  const feira = await openFeira();
  const populated = await populate(feira);
  const samples = sampleBodies(populated);
  const guard = new EventLoopGuard(feira, MEGABYTE_BUDGET_MS);
  const headers = {
    authorization: `Bearer ${populated.store.token}`,
    'content-type': 'application/json',
  };
  const routes = feira.app.apiRoutes.filter(({ body }) => body !== 'none');
  expect(routes.length).toBeGreaterThan(10);
  for (const route of routes) {
    const request = { method: route.method as 'POST', url: pathOf(route.url, populated), headers };
    for (const { name, payload } of hostilePlaces(samples[keyOf(route)], MOST_BYTES))
      await guard.measure(`${keyOf(route)}: ${name}`, { ...request, payload }, [401, 403, 413, 415]);
  }
  guard.expectNoneTooDear();
  await feira.close();
});
