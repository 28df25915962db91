import type {} from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { cachedFor } from './cached-for.js';

/** Checks a component that this process needs. Throws if the component is unavailable. */
type ReadinessCheck = () => Promise<'ok' | 'degraded'>;

interface State {
  status: 'ok' | 'degraded' | 'unavailable';
  checks: Record<string, string>;
}

const TIMEOUT_MS = 2_000;
const CACHE_MS = 1_000;

/** The readiness of the process, as load balancers query it. Components are checked at most once per second. */
export class Readiness {
  /** True as soon as a shutdown is requested, so that the load balancer routes requests elsewhere. */
  stopping = false;
  private readonly state: () => Promise<State>;

  constructor(
    private readonly checks: Record<string, ReadinessCheck>,
    private readonly log: Logger,
    /** Further fields of the response. They do not affect whether the process is ready. */
    private readonly information: () => object = () => ({}),
  ) {
    this.state = cachedFor(CACHE_MS, () => this.checkAll());
  }

  async read(): Promise<{ code: 200 | 503; body: object }> {
    const state = await this.state();
    const code = this.stopping || state.status === 'unavailable' ? 503 : 200;
    return { code, body: { ...state, ...this.information(), ...(this.stopping && { status: 'stopping' }) } };
  }

  private async checkAll(): Promise<State> {
    const checks = Object.fromEntries(
      await Promise.all(
        Object.entries(this.checks).map(async ([name, check]) => [name, await this.stateOf(name, check)]),
      ),
    ) as Record<string, string>;
    const states = Object.values(checks);
    const worst = states.includes('unreachable')
      ? 'unavailable'
      : states.includes('degraded')
        ? 'degraded'
        : 'ok';
    return { status: worst, checks };
  }

  private async stateOf(name: string, check: ReadinessCheck): Promise<string> {
    try {
      return await inTime(check);
    } catch (error) {
      this.log.warn({ err: error, check: name }, 'not ready');
      return 'unreachable';
    }
  }
}

/**
 * Serves /healthz, which reports that the process is alive, and whether it was asked to stop. Nothing else is checked,
 * because restarting the process would not repair, for example, the database.
 */
export function serveHealth(app: FastifyInstance, readiness: Readiness): void {
  app.get('/healthz', { schema: { hide: true } }, async (_request, reply) => {
    if (readiness.stopping) return reply.code(503).send({ status: 'stopping' });
    return { status: 'ok' };
  });
}

export function serveReadiness(app: FastifyInstance, readiness: Readiness): void {
  app.get('/readyz', { schema: { hide: true } }, async (_request, reply) => {
    const { code, body } = await readiness.read();
    return reply.code(code).send(body);
  });
}

export function serveMetrics(app: FastifyInstance, registry: Registry): void {
  app.get('/metrics', { schema: { hide: true } }, async (_request, reply) => {
    return reply.type(registry.contentType).send(await registry.metrics());
  });
}

/** Rejects if the check takes too long, so that the load balancer gets a response before its own timeout. */
export async function inTime<T>(check: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${TIMEOUT_MS} ms`)), TIMEOUT_MS);
  });
  try {
    return await Promise.race([check(), late]);
  } finally {
    clearTimeout(timer);
  }
}
