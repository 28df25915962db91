import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The time that a client has to send a complete request, enough for an image of 10 MB at 0.7 Mbit/s. */
export const REQUEST_MS = 120_000;
/**
 * When the server stops, pending requests have this long to finish. `docker stop` kills the process after ten seconds,
 * and the rest of the shutdown takes time too.
 */
const STOP_GRACE_MS = 5_000;
const CHECK_MS = 50;

/**
 * Lets a shutdown wait only for pending requests. Node closes only idle keep-alive connections: it treats a connection
 * that has sent nothing, or only part of a request head, as busy, and that connection would keep the process running.
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
    /**
     * Closes each connection after the response to its next request, so that no client sends another request on a
     * connection that is about to be closed.
     */
    closeAfterAnswers() {
      server.prependListener('request', (_request, response) => {
        response.shouldKeepAlive = false;
      });
    },
    endWithRequests() {
      // The first check runs after CHECK_MS, because a request may be arriving on a connection that was just opened.
      const checking = setInterval(() => end((socket) => !pendingResponse(socket)), CHECK_MS);
      const deadline = setTimeout(() => end(() => true), STOP_GRACE_MS);
      server.once('close', () => {
        clearInterval(checking);
        clearTimeout(deadline);
      });
    },
  };
}

/**
 * Adds the properties `_peername` and `timeout` to every new connection. Node adds them when a handler first reads the
 * client's address and after the first response, so that connections would have them in different orders or not at all.
 * V8 then treats connections as objects of several classes and optimizes the code of Node and Fastify less well.
 */
export function fixPropertyOrder(server: Server): void {
  server.on('connection', (socket: Socket) => {
    void socket.remoteAddress;
    socket.setTimeout(server.timeout);
  });
}

/** Returns the response in progress on a connection. Node itself uses the same property to find idle connections. */
export function pendingResponse(socket: Socket): ServerResponse | undefined {
  return (socket as { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined;
}
