import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream';

interface ReadingRate {
  everyMs: number;
  minBytes: number;
}

/** About 4 kB per second. Every working connection is faster. */
const SLOWEST: ReadingRate = { everyMs: 15_000, minBytes: 65_536 };

/**
 * Closes the connection of a client that reads less than `minBytes` of a stream within `everyMs` although more is
 * ready. A stream holds a database connection and a snapshot for as long as its client reads.
 */
export function cutOffSlowReader(response: ServerResponse, { everyMs, minBytes } = SLOWEST): void {
  let taken = 0;
  const timer = setInterval(() => {
    const { socket } = response;
    if (!socket) return;
    const now = socket.bytesWritten - socket.writableLength;
    if (response.writableLength > 0 && now - taken < minBytes) response.destroy();
    taken = now;
  }, everyMs);
  finished(response, () => clearInterval(timer));
}
