import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Receiver } from '../receiver.js';
import type { Kill } from './target.js';

interface Arrival {
  eventId: string;
  sequence: number;
  attempt: number;
  at: number;
  socket: Socket;
}

/** An attempt as recorded in the delivery log of the subscription. */
export interface RecordedAttempt {
  eventId: string;
  number: number;
  error: string | null;
}

/** The maximum time from the claim of a delivery to its arrival, or from its arrival to the record of its result. */
const SLACK_MS = 6_000;
/**
 * If an event arrives again because a worker was killed, the kill usually closed the connection of the previous
 * attempt. The kill also counts as the cause if that connection closed up to this long before it: workers close a
 * connection after one idle second, possibly before they have recorded the result of the last delivery on it.
 */
const CLOSED_BEFORE_KILL_MS = 3_000;
const PROBE_EVERY_MS = 50;
/**
 * The number of probes (requests that the receiver sends to itself) after which it has caught up: during the first it
 * reads the requests in its sockets, during the second it notices closed connections, and during the third its
 * responses on those connections fail.
 */
const PROBES_TO_CATCH_UP = 3;

/** A receiver that records when each delivery arrived and when its connection was closed. */
export class Arrivals {
  readonly all: Arrival[] = [];
  private readonly closed = new Map<Socket, number>();
  /** Requests that the receiver sends to itself. They show how late it reads its sockets on a busy machine. */
  private readonly probes: { begun: number; ended: number }[] = [];
  private probing: Promise<void> | undefined;
  private closing = false;

  private constructor(private readonly receiver: Receiver) {}

  static async open(): Promise<Arrivals> {
    const receiver = await Receiver.open();
    const arrivals = new Arrivals(receiver);
    receiver.answer = ({ headers }, response, { socket }) => {
      if (headers['x-service-delivery'] === undefined) {
        response.writeHead(204, { connection: 'close' }).end();
        return;
      }
      if (!arrivals.closed.has(socket)) {
        arrivals.closed.set(socket, Number.POSITIVE_INFINITY);
        socket.once('close', () => arrivals.closed.set(socket, performance.now()));
      }
      arrivals.all.push({
        eventId: headers['x-service-delivery']!,
        sequence: Number(headers['x-service-sequence']),
        attempt: Number(headers['x-service-attempt']),
        at: performance.now(),
        socket,
      });
      response.writeHead(204).end();
    };
    arrivals.probing = arrivals.probe();
    return arrivals;
  }

  get url(): string {
    return this.receiver.url;
  }

  async close(): Promise<void> {
    this.closing = true;
    await this.probing;
    await this.receiver.close();
  }

  /**
   * Counts the repeated arrivals of events by cause, and describes those without a cause. An arrival has a cause if the
   * previous attempt is logged as failed, or if its result could not be recorded because its worker was killed (which
   * closed the connection) or PostgreSQL was unreachable.
   */
  explainRepeats(
    kills: Kill[],
    recorded: RecordedAttempt[],
  ): { causes: Record<string, number>; unexplained: string[] } {
    const failed = new Set(
      recorded.filter(({ error }) => error !== null).map(({ eventId, number }) => `${eventId} ${number}`),
    );
    const causes: Record<string, number> = {};
    const unexplained: string[] = [];
    for (const arrivals of byEvent(this.all)) {
      for (const [index, repeat] of arrivals.entries()) {
        const before = arrivals[index - 1];
        if (!before) continue;
        const cause =
          repeat.attempt > before.attempt
            ? failed.has(`${before.eventId} ${before.attempt}`) && 'the previous attempt failed'
            : this.killBetween(kills, before, repeat);
        if (cause) causes[cause] = (causes[cause] ?? 0) + 1;
        else unexplained.push(this.describe(before, repeat, kills));
      }
    }
    return { causes, unexplained };
  }

  private describe(before: Arrival, repeat: Arrival, kills: Kill[]): string {
    const seconds = (at: number) => `${(at / 1000).toFixed(1)} s`;
    return `event ${repeat.eventId} (sequence ${repeat.sequence}) was delivered again without a cause: attempt ${
      before.attempt
    } at ${seconds(before.at)}, its connection closed at ${seconds(this.closed.get(before.socket)!)}, attempt ${
      repeat.attempt
    } at ${seconds(repeat.at)}; kills: ${kills
      .map(({ victim, at, over }) => `${victim} at ${seconds(at)} until ${seconds(over)}`)
      .join(', ')}`;
  }

  private killBetween(kills: Kill[], before: Arrival, repeat: Arrival): string | undefined {
    const closedAt = this.closed.get(before.socket)!;
    const cause = kills.find((kill) => {
      if (kill.at > repeat.at) return false;
      if (kill.victim === 'postgres')
        return before.at >= kill.at - SLACK_MS && before.at <= kill.over + SLACK_MS;
      return (
        kill.victim === 'worker' &&
        before.at <= this.caughtUpAt(kill.over) &&
        closedAt >= kill.at - CLOSED_BEFORE_KILL_MS &&
        closedAt <= this.caughtUpAt(kill.over)
      );
    });
    return cause && `${cause.victim} was killed`;
  }

  private async probe(): Promise<void> {
    while (!this.closing) {
      const begun = performance.now();
      await fetch(this.url);
      this.probes.push({ begun, ended: performance.now() });
      await delay(PROBE_EVERY_MS);
    }
  }

  /** Returns the time by which the receiver had read everything that was in its sockets at `time`. */
  private caughtUpAt(time: number): number {
    const later = this.probes.filter(({ begun }) => begun >= time);
    return later[PROBES_TO_CATCH_UP - 1]?.ended ?? Number.POSITIVE_INFINITY;
  }
}

/**
 * Sorts by attempt. On a busy machine, the receiver may read the request of a timed-out attempt later than that of the
 * next attempt, because the two arrive over different connections.
 */
function byAttempt(one: Arrival, other: Arrival): number {
  return one.attempt - other.attempt || one.at - other.at;
}

function byEvent(arrivals: Arrival[]): Arrival[][] {
  const groups = new Map<string, Arrival[]>();
  for (const arrival of arrivals) {
    const group = groups.get(arrival.eventId);
    if (group) group.push(arrival);
    else groups.set(arrival.eventId, [arrival]);
  }
  return [...groups.values()].map((group) => group.sort(byAttempt));
}
