import type { Clock } from '../platform/clock.js';
import { networkOf } from '../platform/http/network.js';

/** After this many invalid tokens in a minute, the tokens of a network wait in a separate queue to be looked up. */
const MAX_REJECTED = 30;
const WINDOW_MS = 60_000;
const MAX_NETWORKS = 10_000;

interface Window {
  since: number;
  refused: number;
}

/** Networks that send many unknown, expired or revoked tokens. Each process counts on its own. */
export class SuspectNetworks {
  /** Ordered by the start of the window, oldest first. */
  private readonly windows = new Map<string, Window>();

  constructor(private readonly clock: Clock) {}

  has(address: string): boolean {
    return (this.current(networkOf(address))?.refused ?? 0) >= MAX_REJECTED;
  }

  noteRefused(address: string): void {
    const network = networkOf(address);
    const window = this.current(network);
    if (window) {
      window.refused++;
      return;
    }
    this.windows.delete(network);
    this.windows.set(network, { since: this.clock.monotonic(), refused: 1 });
    if (this.windows.size > MAX_NETWORKS) this.windows.delete(this.windows.keys().next().value as string);
  }

  private current(network: string): Window | undefined {
    const window = this.windows.get(network);
    return window && this.clock.monotonic() - window.since < WINDOW_MS ? window : undefined;
  }
}
