import type { MovableClock } from '../../../server/test/support/clock.js';
import type { Clock } from '../../src/clock.js';

/** Returns a clock that shows the time of the server's clock. Sleeping moves the server's clock immediately. */
export function clockOf(server: { clock: MovableClock }): Clock {
  return {
    now: () => server.clock.now(),
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      server.clock.forward(ms);
      // Lets pending responses be processed before the caller continues.
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}
