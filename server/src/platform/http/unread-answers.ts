import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import type { FastifyReply, FastifyRequest, onSendHookHandler, preHandlerHookHandler } from 'fastify';
import { ApiError } from './errors.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A page of this list can be megabytes: an app reads only a few of them at a time. */
    hasLargePages?: boolean;
  }
}

/** A smaller answer fits into the buffers of the operating system, whether it is read or not. */
const LARGE_BYTES = 65_536;
/** A client that takes nothing of its answer for so long has gone. */
const IDLE_MS = 15_000;
/** And a whole answer is read as fast as a whole request must arrive. */
const ANSWER_MS = 120_000;
/** How long a list waits for its turn. Longer than IDLE_MS: clients that have gone make room before it gives up. */
const WAIT_MS = 20_000;
const LISTS_PER_APP = 4;
const WAITING_PER_APP = 200;
/** From here on lists wait until something was read, whoever asks for them. */
const MAX_UNREAD_BYTES = 64 * 1_048_576;

/**
 * Answers are held in memory until their clients have read them. A page of products can be 8 MB, so one app has at most
 * four of such lists under way, from the query to the last byte; its further ones wait in line. Twelve clients that did
 * not read used to hold 564 MB for minutes. Lists of small records are not limited: while orders hang, their lists would
 * keep the lists of products waiting.
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
    // The client has gone while it waited: there is nobody to answer.
    const stopWatching = finished(response, leave);
    queue.add(waiter);
  }

  /** Until the last byte was handed to the operating system, or the connection ended. */
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
