import fc from 'fast-check';
import { Histogram, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { RequestDurations } from '../../../src/platform/observability/request-durations.js';

const BOUNDS_MS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000];

const observation = fc.record({
  method: fc.constantFrom('GET', 'POST'),
  route: fc.constantFrom('/api/v1/products/:id', '/s/:slug/', 'unknown', 'with "quotes" and \\'),
  status: fc.constantFrom(200, 404, 503),
  milliseconds: fc.oneof(fc.constantFrom(0, ...BOUNDS_MS), fc.double({ min: 0, max: 20_000, noNaN: true })),
});

test('the durations have the same text as a histogram of prom-client', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(observation), async (observations) => {
      const ours = new Registry();
      const durations = new RequestDurations(ours);
      const theirs = new Registry();
      const histogram = new Histogram({
        name: 'feira_http_request_duration_seconds',
        help: 'Time from the headers of a request to the last byte of its response',
        labelNames: ['method', 'route', 'status'],
        buckets: BOUNDS_MS.map((bound) => bound / 1000),
        registers: [theirs],
      });
      for (const { method, route, status, milliseconds } of observations) {
        durations.observe(method, route, status, milliseconds);
        histogram.observe({ method, route, status }, milliseconds / 1000);
      }
      expect(sortedLines(await ours.metrics())).toEqual(sortedLines(await theirs.metrics()));
    }),
  );
});

test('resetting the metrics of a registry also resets the durations', async () => {
  const registry = new Registry();
  const durations = new RequestDurations(registry);
  durations.observe('GET', '/', 200, 3);
  expect(await registry.metrics()).toContain('_count{method="GET",route="/",status="200"} 1');
  registry.resetMetrics();
  expect(await registry.metrics()).not.toContain('_count');
});

/** The sets of labels may be in another order. */
function sortedLines(text: string): string[] {
  return text.split('\n').sort();
}
