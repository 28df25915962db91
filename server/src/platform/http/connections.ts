import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A whole request, from its first byte to the last of its body: 10 MB of an image at 0.7 Mbit/s. */
export const REQUEST_MS = 120_000;
/** What is under way when a stop begins has this long; `docker stop` kills after ten seconds, and there is more to end. */
const STOP_GRACE_MS = 5_000;
const LOOK_MS = 50;

/**
 * Lets a stop wait for requests, and for nothing else. Node ends only connections that were answered and are kept alive:
 * one that has sent nothing yet, or half a head, counts as busy and would hold the process for as long as it likes.
 */
export function connectionsOf(server: Server): { endWithRequests(): void } {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  const end = (which: (socket: Socket) => boolean) => {
    for (const socket of open) if (which(socket)) socket.destroy();
  };
  return {
    endWithRequests() {
      // From the first look on and not before: a request may be on its way through a connection that is just open.
      const looking = setInterval(() => end((socket) => !answerUnderWay(socket)), LOOK_MS);
      const lastCall = setTimeout(() => end(() => true), STOP_GRACE_MS);
      server.once('close', () => {
        clearInterval(looking);
        clearTimeout(lastCall);
      });
    },
  };
}

/** The answer that a connection is busy with. Node keeps it there and asks so itself before it ends an idle one. */
export function answerUnderWay(socket: Socket): ServerResponse | undefined {
  return (socket as { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined;
}
