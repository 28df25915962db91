import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionError, FastifyInstance, FastifyRequest } from 'fastify';
import { errorBody } from './answer-errors.js';
import { pendingResponse } from './connections.js';
import { ApiError } from './errors.js';
import { newRequestId } from './request-id.js';

// The connection is closed after a broken request, because it is not certain where the next request begins.
const CLOSE = { headers: { Connection: 'close' } };

/**
 * Rejects requests with a missing or repeated Host header or an unknown Expect header. Node would reject most of them
 * with an empty response. Here they get a request id and the usual error format.
 */
export function refuseBrokenHeads(app: FastifyInstance): void {
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.addHook('onRequest', ({ raw }: FastifyRequest, _reply, done) => done(faultOfHead(raw)));
}

function faultOfHead({ headers, rawHeaders, httpVersion }: IncomingMessage): ApiError | undefined {
  const { host, expect } = headers;
  // Node uses the first of several Host headers, but a proxy may have used another (RFC 9112, 3.2).
  if (hasTwoHosts(rawHeaders))
    return new ApiError(400, 'bad_request', 'The Host header is sent more than once', CLOSE);
  if (host !== undefined && expect === undefined) return undefined;
  if (httpVersion !== '1.1') return undefined;
  if (host === undefined) return new ApiError(400, 'bad_request', 'The Host header is missing', CLOSE);
  if (expect?.toLowerCase() === '100-continue') return undefined;
  return new ApiError(417, 'expectation_failed', 'The Expect header can only be 100-continue', CLOSE);
}

function hasTwoHosts(rawHeaders: string[]): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]!.length === 4 && rawHeaders[at]!.toLowerCase() === 'host') hosts++;
  return hosts > 1;
}

const refused = new WeakSet<Socket>();

/**
 * Handles input that is not valid HTTP or does not arrive in time. If earlier requests on the connection are still
 * being answered, the error is sent after their responses. If a request body is being read, that request is rejected,
 * or the connection is destroyed if the response has already begun. Otherwise the error is written directly to the
 * connection.
 */
export function refuseUnreadable(this: FastifyInstance, fault: ConnectionError, socket: Socket): void {
  // Further data on this connection would be reported as an error again.
  if (refused.has(socket)) return;
  refused.add(socket);
  const refuse = () => {
    const answer = pendingResponse(socket);
    if (!socket.writable) socket.destroy();
    else if (answer?.req.complete) answer.once('close', refuse);
    else if (answer?.headersSent) socket.destroy();
    else if (answer && answer.req.listenerCount('error') > 0) answer.req.emit('error', refusalOf(fault));
    else sendRefusal(this, fault, socket);
  };
  refuse();
}

function sendRefusal({ log, errorDocs }: FastifyInstance, fault: ConnectionError, socket: Socket): void {
  const refusal = refusalOf(fault);
  const requestId = newRequestId();
  const body = errorBody(refusal, requestId, errorDocs);
  socket.write(
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nX-Request-Id: ${requestId}\r\nX-Should-Retry: ${refusal.isWorthRetrying}\r\nConnection: close\r\n\r\n${body}`,
  );
  socket.destroySoon();
  log.info({ requestId, status: refusal.status, fault: fault.code }, 'unreadable request');
}

function refusalOf({ code }: ConnectionError): ApiError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError(431, 'head_too_large', 'The request line and headers are larger than 16 kB', CLOSE);
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new ApiError(413, 'body_too_large', 'The extensions of a chunk are larger than 16 kB', CLOSE);
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApiError(408, 'request_timeout', 'The request did not arrive in time; send it again', CLOSE);
    default:
      return new ApiError(400, 'bad_request', 'The request is not valid HTTP', CLOSE);
  }
}
