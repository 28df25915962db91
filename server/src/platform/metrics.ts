import { collectDefaultMetrics, type Metric, Registry } from 'prom-client';

export interface HttpMetrics {
  registry: Registry;
  observe(method: string, route: string, status: number, milliseconds: number): void;
}

/** A registry per application and not the global one: tests build many applications in one process. */
export function createMetrics(): HttpMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const durations = new Durations();
  registry.registerMetric(durations as unknown as Metric);
  return { registry, observe: (...observed) => durations.observe(...observed) };
}

const BOUNDS_MS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000];

interface Series {
  labels: Record<string, string>;
  /** How many took no longer than the bound of the same index and longer than the one before; the last, longer than all. */
  counts: number[];
  sum: number;
}

/** As the library asks a metric of its own. Its histogram puts the labels of every observation into one text anew: 2 µs. */
class Durations {
  readonly name = 'feira_http_request_duration_seconds';
  private readonly series = new Map<string, Series>();

  observe(method: string, route: string, status: number, milliseconds: number): void {
    const series = this.seriesOf(method, route, status);
    let place = 0;
    while (place < BOUNDS_MS.length && milliseconds > BOUNDS_MS[place]!) place++;
    series.counts[place]!++;
    series.sum += milliseconds / 1000;
  }

  async get() {
    return {
      name: this.name,
      help: 'Time from the first byte of a request to the last of its response',
      type: 'histogram',
      aggregator: 'sum',
      values: [...this.series.values()].flatMap((series) => this.valuesOf(series)),
    };
  }

  private seriesOf(method: string, route: string, status: number): Series {
    const key = `${method} ${status} ${route}`;
    let series = this.series.get(key);
    if (!series) {
      const counts = [...BOUNDS_MS, Number.POSITIVE_INFINITY].map(() => 0);
      series = { labels: { method, route, status: String(status) }, counts, sum: 0 };
      this.series.set(key, series);
    }
    return series;
  }

  private valuesOf({ labels, counts, sum }: Series) {
    let count = 0;
    const buckets = counts.map((more, place) => {
      count += more;
      const bound = BOUNDS_MS[place];
      const le = bound === undefined ? '+Inf' : String(bound / 1000);
      return { labels: { le, ...labels }, value: count, metricName: `${this.name}_bucket` };
    });
    return [
      ...buckets,
      { labels, value: sum, metricName: `${this.name}_sum` },
      { labels, value: count, metricName: `${this.name}_count` },
    ];
  }
}
