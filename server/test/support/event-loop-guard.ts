import type { InjectOptions } from 'fastify';
import { expect } from 'vitest';
import type { Feira } from './feira.js';
import { cpuOf, slowness } from './thread-cpu.js';

const REPETITIONS = 3;
/** What is this many times too dear is not measured again: no noise explains that. */
const HOPELESS = 10;

/** Sends requests and remembers which of them took the event loop's thread more processor time than `budgetMs`. */
export class EventLoopGuard {
  private readonly tooDear: string[] = [];
  private addresses = 0;

  constructor(
    private readonly feira: Feira,
    private readonly budgetMs: number,
  ) {}

  /** From an address of its own, so that no limit per address ends a request before its work begins. */
  async send(request: InjectOptions): Promise<number> {
    const n = ++this.addresses;
    const remoteAddress = `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
    return (await this.feira.app.inject({ ...request, remoteAddress })).statusCode;
  }

  /**
   * Measures one request. The best of three counts, because a collection of garbage or a first compilation is not what
   * the input costs. `refused` are the statuses of a request that was not read at all, which would prove nothing.
   */
  async measure(name: string, request: InjectOptions, refused: number[] = []): Promise<void> {
    let best = Number.POSITIVE_INFINITY;
    for (let repetition = 0; repetition < REPETITIONS && best > this.budgetMs; repetition++) {
      const factor = repetition === 0 ? 1 : slowness();
      const { result: status, ms } = await cpuOf(() => this.send(request));
      best = Math.min(best, ms / factor);
      expect(status, name).toBeLessThan(500);
      expect(refused, name).not.toContain(status);
      if (best > HOPELESS * this.budgetMs) break;
    }
    if (best > this.budgetMs) this.tooDear.push(`${name}: ${Math.round(best)} ms`);
  }

  expectNoneTooDear(): void {
    expect(this.tooDear).toEqual([]);
  }
}
