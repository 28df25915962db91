import type { MovableClock } from '../../../server/test/support/clock.js';
import type { Clock } from '../../src/clock.js';

/** The clock of the server for the client: to sleep moves both on at once. */
export function clockOf(server: { clock: MovableClock }): Clock {
  return {
    now: () => server.clock.now(),
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      server.clock.forward(ms);
      // Answers that are on their way must get their turn.
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}
