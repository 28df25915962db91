import type { InjectOptions } from 'fastify';
import { expect } from 'vitest';
import type { Feira } from './feira.js';
import { cpuOf, slowness } from './thread-cpu.js';

const REPETITIONS = 3;
/** A request that exceeds the budget by this factor is not measured again, because noise cannot explain it. */
const CLEARLY_TOO_SLOW = 10;

/** Sends requests and records those that used more CPU time on the event loop's thread than `budgetMs`. */
export class EventLoopGuard {
  private readonly tooSlow: string[] = [];
  private addresses = 0;

  constructor(
    private readonly feira: Feira,
    private readonly budgetMs: number,
  ) {}

  /** Sends a request from a new IP address, so that no limit per address rejects it early. Returns the status. */
  async send(request: InjectOptions): Promise<number> {
    const n = ++this.addresses;
    const remoteAddress = `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
    return (await this.feira.app.inject({ ...request, remoteAddress })).statusCode;
  }

  /**
   * Measures one request. The fastest of up to three runs counts, because garbage collection and JIT compilation are
   * not caused by the input. Fails if the status is 5xx or is in `refused`. A request with a status in `refused` was
   * rejected before its input was processed, so its time proves nothing.
   */
  async measure(name: string, request: InjectOptions, refused: number[] = []): Promise<void> {
    let best = Number.POSITIVE_INFINITY;
    for (let repetition = 0; repetition < REPETITIONS && best > this.budgetMs; repetition++) {
      const factor = repetition === 0 ? 1 : slowness();
      const { result: status, ms } = await cpuOf(() => this.send(request));
      best = Math.min(best, ms / factor);
      expect(status, name).toBeLessThan(500);
      expect(refused, name).not.toContain(status);
      if (best > CLEARLY_TOO_SLOW * this.budgetMs) break;
    }
    if (best > this.budgetMs) this.tooSlow.push(`${name}: ${Math.round(best)} ms`);
  }

  expectNoneTooSlow(): void {
    expect(this.tooSlow).toEqual([]);
  }
}
