import type { Pipeline } from './db-pipeline.js';
import type { Statement } from './sql.js';

/**
 * Connections that take one statement at a time, each the next that waits: a write that waits for a row lock holds up
 * nobody but itself. What pg's pool does besides (a listener, a timer and three promises per statement) cost 60 µs.
 */
export class Turns {
  private readonly idle: Pipeline[];
  private readonly waiting: ((line: Pipeline) => void)[] = [];

  constructor(lines: Pipeline[]) {
    this.idle = [...lines];
  }

  async query<R>(statement: Statement): Promise<R[]> {
    // The one that was used last: its backend is the one most likely still in the processor's cache.
    const line = this.idle.pop() ?? (await new Promise<Pipeline>((resolve) => this.waiting.push(resolve)));
    try {
      return await line.query<R>(statement);
    } finally {
      const next = this.waiting.shift();
      if (next) next(line);
      else this.idle.push(line);
    }
  }
}
