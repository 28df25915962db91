import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import type { FastifyReply, FastifyRequest, onSendHookHandler, preHandlerHookHandler } from 'fastify';
import { Admission, type Applicant } from '../concurrency/admission.js';
import { ApiError } from './errors.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A page of this list can be several megabytes, so an app may read only a few such pages at a time. */
    hasLargePages?: boolean;
  }
}

/** A smaller response fits into the buffers of the operating system even if the client does not read it. */
const LARGE_BYTES = 65_536;
/** A client that reads nothing for this long is disconnected. */
const IDLE_MS = 15_000;
/**
 * A client that has not read the complete response after this time is disconnected. The time limit for sending a
 * request (REQUEST_MS) is the same.
 */
const ANSWER_MS = 120_000;
/**
 * How long a list waits for its turn. This is longer than IDLE_MS, so that clients that read nothing are disconnected
 * before the wait ends.
 */
const WAIT_MS = 20_000;
const LISTS_PER_APP = 4;
const WAITING_PER_APP = 200;
/** While at least this many bytes are unread, all further lists with large pages wait. */
const MAX_UNREAD_BYTES = 64 * 1_048_576;

/**
 * Responses stay in memory until clients have read them. A page of products can be several megabytes, so one app may
 * have at most four lists of such pages in progress in a store, from the query to the last byte. Further lists wait.
 * Without this limit, the responses to twelve clients that did not read them used 564 MB for minutes. Lists of small
 * records are not counted, so that stalled lists of orders do not use up an app's places for lists of products.
 */
export function limitUnreadAnswers(appOf: (request: FastifyRequest) => string): {
  takeTurn: preHandlerHookHandler;
  watch: onSendHookHandler;
} {
  let unreadBytes = 0;
  const lists = new Admission({ isOpen: () => unreadBytes < MAX_UNREAD_BYTES });
  return { takeTurn, watch };

  function takeTurn(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
    const applicant = { key: appOf(request), limit: LISTS_PER_APP };
    const start = () => {
      finished(reply.raw, () => lists.leave(applicant));
      done();
    };
    const refuse = () => {
      if (!reply.raw.destroyed) done(tooManyLists());
    };
    if (lists.tryEnter(applicant)) start();
    else waitForTurn(applicant, reply.raw).then(start, refuse);
  }

  async function waitForTurn(applicant: Applicant, response: ServerResponse): Promise<void> {
    const disconnected = new AbortController();
    const stopWatching = finished(response, () => disconnected.abort());
    const { signal } = disconnected;
    try {
      await lists.wait(applicant, { waitMs: WAIT_MS, maxWaiting: WAITING_PER_APP, signal });
    } finally {
      stopWatching();
    }
  }

  function watch(
    _request: FastifyRequest,
    reply: FastifyReply,
    payload: unknown,
    done: (error: null, payload: unknown) => void,
  ): void {
    const isBody = typeof payload === 'string' || Buffer.isBuffer(payload);
    if (isBody && payload.length >= LARGE_BYTES) watchUntilRead(reply.raw, payload.length);
    done(null, payload);
  }

  /**
   * The response counts as unread until its last byte is passed to the operating system or the connection is closed.
   */
  function watchUntilRead(response: ServerResponse, bytes: number): void {
    unreadBytes += bytes;
    response.setTimeout(IDLE_MS, () => response.destroy());
    const tooSlow = setTimeout(() => response.destroy(), ANSWER_MS);
    finished(response, () => {
      clearTimeout(tooSlow);
      unreadBytes -= bytes;
      lists.admitWaiting();
    });
  }
}

function tooManyLists(): ApiError {
  const seconds = Math.ceil(IDLE_MS / 1_000);
  return new ApiError(
    429,
    'too_many_lists',
    `Too many large lists are being sent to this app (at most ${LISTS_PER_APP} per store) or to all apps together. Read your pending responses, then retry.`,
    { headers: { 'Retry-After': String(seconds) } },
  );
}
