import type { Clock } from '../platform/clock.js';
import { networkOf } from '../platform/http/network.js';

/** Refused tokens in a minute after which a network's tokens are looked up in a queue of their own. */
const MOST_REFUSED = 30;
const WINDOW_MS = 60_000;
const MOST_NETWORKS = 10_000;

interface Window {
  since: number;
  refused: number;
}

/** Networks that send many tokens which are unknown, expired or revoked. Each process counts on its own. */
export class SuspectNetworks {
  /** Oldest window first. */
  private readonly windows = new Map<string, Window>();

  constructor(private readonly clock: Clock) {}

  has(address: string): boolean {
    return (this.current(networkOf(address))?.refused ?? 0) >= MOST_REFUSED;
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
    if (this.windows.size > MOST_NETWORKS) this.windows.delete(this.windows.keys().next().value as string);
  }

  private current(network: string): Window | undefined {
    const window = this.windows.get(network);
    return window && this.clock.monotonic() - window.since < WINDOW_MS ? window : undefined;
  }
}
