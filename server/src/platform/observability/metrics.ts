import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';

export interface HttpMetrics {
  registry: Registry;
  observe(method: string, route: string, status: number, milliseconds: number): void;
}

const BOUNDS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Uses its own registry instead of the global one, because tests create many applications in one process. */
export function createMetrics(): HttpMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const durations = new Histogram({
    name: 'feira_http_request_duration_seconds',
    help: 'Time from the headers of a request to the last byte of its response',
    labelNames: ['method', 'route', 'status'],
    buckets: BOUNDS_SECONDS,
    registers: [registry],
  });
  return {
    registry,
    observe: (method, route, status, milliseconds) =>
      durations.observe({ method, route, status }, milliseconds / 1000),
  };
}
