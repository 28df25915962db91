import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import type { FastifyReply, FastifyRequest, onSendHookHandler, preHandlerHookHandler } from 'fastify';
import { ApiError } from './errors.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A page of this list can have megabytes, so an app may read only a few of them at a time. */
    hasLargePages?: boolean;
  }
}

/** A smaller response fits into the buffers of the operating system, whether it is read or not. */
const LARGE_BYTES = 65_536;
/** A client that reads nothing for this long is considered gone. */
const IDLE_MS = 15_000;
/** A complete response must be read as fast as a complete request must arrive. */
const ANSWER_MS = 120_000;
/** How long a list waits for its turn. It is longer than IDLE_MS, so that clients that are gone make room in time. */
const WAIT_MS = 20_000;
const LISTS_PER_APP = 4;
const WAITING_PER_APP = 200;
/** Above this, all lists wait until some bytes have been read. */
const MAX_UNREAD_BYTES = 64 * 1_048_576;

/**
 * Responses stay in memory until clients have read them. A page of products can have 8 MB, so one app may have at
 * most four such lists in progress, from the query to the last byte; further ones wait. Before this limit, twelve
 * clients that did not read held 564 MB for minutes. Lists of small records are not limited, because hanging lists of
 * orders would block the lists of products.
 */
export function limitUnreadAnswers(appOf: (request: FastifyRequest) => string): {
  takeTurn: preHandlerHookHandler;
  watch: onSendHookHandler;
} {
  const lists = new ListTurns();
  return { takeTurn, watch };

  function takeTurn(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
    lists.take(appOf(request), reply.raw, done);
  }

  function watch(
    _request: FastifyRequest,
    reply: FastifyReply,
    payload: unknown,
    done: (error: null, payload: unknown) => void,
  ): void {
    const isBody = typeof payload === 'string' || Buffer.isBuffer(payload);
    if (isBody && payload.length >= LARGE_BYTES) lists.watch(reply.raw, payload.length);
    done(null, payload);
  }
}

interface Waiter {
  admit(): void;
}

class ListTurns {
  private readonly underWay = new Map<string, number>();
  private readonly waiting = new Map<string, Set<Waiter>>();
  private unreadBytes = 0;

  take(app: string, response: ServerResponse, done: (error?: Error) => void): void {
    if (this.hasRoom(app)) {
      this.admit(app, response, done);
      return;
    }
    const queue = this.waiting.get(app) ?? new Set();
    if (queue.size >= WAITING_PER_APP) {
      done(tooManyLists());
      return;
    }
    this.waiting.set(app, queue);
    const leave = () => {
      clearTimeout(timer);
      stopWatching();
      queue.delete(waiter);
      if (queue.size === 0) this.waiting.delete(app);
    };
    const waiter: Waiter = {
      admit: () => {
        leave();
        this.admit(app, response, done);
      },
    };
    const timer = setTimeout(() => {
      leave();
      done(tooManyLists());
    }, WAIT_MS);
    // The client disconnected while it waited.
    const stopWatching = finished(response, leave);
    queue.add(waiter);
  }

  /** Until the last byte was passed to the operating system, or the connection was closed. */
  watch(response: ServerResponse, bytes: number): void {
    this.unreadBytes += bytes;
    response.setTimeout(IDLE_MS, () => response.destroy());
    const tooSlow = setTimeout(() => response.destroy(), ANSWER_MS);
    finished(response, () => {
      clearTimeout(tooSlow);
      this.unreadBytes -= bytes;
      this.admitWaiting();
    });
  }

  private hasRoom(app: string): boolean {
    return (this.underWay.get(app) ?? 0) < LISTS_PER_APP && this.unreadBytes < MAX_UNREAD_BYTES;
  }

  private admit(app: string, response: ServerResponse, done: () => void): void {
    this.underWay.set(app, (this.underWay.get(app) ?? 0) + 1);
    finished(response, () => {
      const left = (this.underWay.get(app) ?? 0) - 1;
      if (left > 0) this.underWay.set(app, left);
      else this.underWay.delete(app);
      this.admitWaiting();
    });
    done();
  }

  private admitWaiting(): void {
    for (const [app, queue] of this.waiting)
      for (const waiter of queue) {
        if (!this.hasRoom(app)) break;
        waiter.admit();
      }
  }
}

function tooManyLists(): ApiError {
  const seconds = Math.ceil(IDLE_MS / 1_000);
  return new ApiError(
    429,
    'too_many_lists',
    `Answers of lists wait to be read: at most ${LISTS_PER_APP} lists per store and app are under way at a time. Read them, then retry`,
    { headers: { 'Retry-After': String(seconds) } },
  );
}
