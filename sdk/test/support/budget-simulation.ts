import { type BudgetReport, type BudgetState, reserve, settle } from '../../src/pacing/budget.js';

export interface Scenario {
  limit: number;
  /** How many calls each client wants to make. */
  clients: number[];
  /** Milliseconds between the starts of the clients. */
  stagger?: number;
  seed: number;
}

export interface Outcome {
  done: number;
  /** The number of calls that were rejected five times. */
  failed: number;
  /** The times at which calls were rejected, in milliseconds since the start. */
  refusals: number[];
}

const WINDOW_MS = 60_000;
const CONCURRENCY = 8;
const ATTEMPTS = 5;

/**
 * Simulates clients that share one limit of the server, while each client keeps its own count of calls. Time is
 * virtual, and each request and each response takes 3 to 40 ms.
 */
export function simulate({ limit, clients, stagger = 0, seed }: Scenario): Outcome {
  const timeline = new Timeline();
  const random = randomFrom(seed);
  const delay = () => 3 + random() * 37;
  const outcome: Outcome = { done: 0, failed: 0, refusals: [] };
  let accepted: number[] = [];

  function serve(): BudgetReport {
    accepted = accepted.filter((at) => timeline.now - at < WINDOW_MS);
    if (accepted.length < limit) {
      accepted.push(timeline.now);
      return { limit, remaining: limit - accepted.length };
    }
    outcome.refusals.push(timeline.now);
    const waitMs = accepted[0]! + WINDOW_MS - timeline.now;
    return { limit, remaining: 0, refusedForMs: Math.ceil(waitMs / 1_000) * 1_000 };
  }

  for (const [index, count] of clients.entries()) {
    const state: BudgetState = { calls: [] };
    const waiting = Array.from({ length: count }, () => ({ attempts: 0 }));
    let inFlight = 0;
    let sent = 0;
    let turn = 0;
    const pump = () => {
      const ownTurn = ++turn;
      while (waiting.length > 0 && inFlight < CONCURRENCY) {
        const id = String(++sent);
        const waitMs = reserve(state, id, timeline.now);
        if (waitMs > 0) {
          timeline.after(waitMs, () => ownTurn === turn && pump());
          return;
        }
        send(id, waiting.shift()!);
      }
    };
    const send = (id: string, call: { attempts: number }) => {
      inFlight++;
      call.attempts++;
      timeline.after(delay(), () => {
        const report = serve();
        timeline.after(delay(), () => {
          inFlight--;
          settle(state, id, report, timeline.now, random);
          if (report.refusedForMs === undefined) outcome.done++;
          else if (call.attempts === ATTEMPTS) outcome.failed++;
          else
            timeline.after(report.refusedForMs, () => {
              waiting.push(call);
              pump();
            });
          pump();
        });
      });
    };
    timeline.after(index * stagger, pump);
  }
  timeline.run();
  return outcome;
}

class Timeline {
  now = 0;
  private readonly events: { at: number; run: () => unknown }[] = [];

  after(ms: number, run: () => unknown): void {
    const at = this.now + ms;
    let index = this.events.length;
    while (index > 0 && this.events[index - 1]!.at > at) index--;
    this.events.splice(index, 0, { at, run });
  }

  run(): void {
    for (let event = this.events.shift(); event; event = this.events.shift()) {
      this.now = event.at;
      event.run();
    }
  }
}

/** A linear congruential generator, so that the same seed leads to the same run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}
