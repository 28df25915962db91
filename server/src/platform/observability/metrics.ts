import { collectDefaultMetrics, Registry } from 'prom-client';
import { RequestDurations } from './request-durations.js';

export interface HttpMetrics {
  registry: Registry;
  durations: RequestDurations;
}

/** Uses its own registry instead of the global one, because tests create many applications in one process. */
export function createMetrics(): HttpMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return { registry, durations: new RequestDurations(registry) };
}
