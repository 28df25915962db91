import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The time limit for a complete request, enough for an image of 10 MB at 0.7 Mbit/s. */
export const REQUEST_MS = 120_000;
/**
 * Pending requests have this long when the server stops; `docker stop` kills after ten seconds, and other parts need
 * time too.
 */
const STOP_GRACE_MS = 5_000;
const LOOK_MS = 50;

/**
 * Makes a stop wait only for pending requests. Node closes only idle keep-alive connections: one that has sent
 * nothing yet, or an incomplete head, counts as busy and would keep the process running.
 */
export function trackConnections(server: Server): { closeAfterAnswers(): void; endWithRequests(): void } {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  const end = (which: (socket: Socket) => boolean) => {
    for (const socket of open) if (which(socket)) socket.destroy();
  };
  return {
    /** The other side must not send another request on a connection that is about to be closed. */
    closeAfterAnswers() {
      server.prependListener('request', (_request, response) => {
        response.shouldKeepAlive = false;
      });
    },
    endWithRequests() {
      // Starts with the first check and not earlier, because a request may be arriving on a connection that was just
      // opened.
      const looking = setInterval(() => end((socket) => !pendingResponse(socket)), LOOK_MS);
      const lastCall = setTimeout(() => end(() => true), STOP_GRACE_MS);
      server.once('close', () => {
        clearInterval(looking);
        clearTimeout(lastCall);
      });
    },
  };
}

/** The response in progress on a connection. Node stores it there and uses it for the same check. */
export function pendingResponse(socket: Socket): ServerResponse | undefined {
  return (socket as { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined;
}
