import { type CountedCall, ownCalls, untilOneLeaves, WINDOW_MS } from './window.js';

/**
 * The part of the limit that this client uses while other clients, which do not share its budget, use the rest.
 *
 * When several clients together come close to the limit, the share of each becomes 95% (after a rejection 90%) of the
 * calls it has in the window. The slot of a call that leaves the window is used again only by the same client, so the
 * clients do not compete for it. From there they approach a fair division as TCP does: when less than the headroom (8%
 * of the limit, at least 2 calls) remains, every client gives up a tenth of its share; when more has remained for a
 * whole window, every client takes a little more. The headroom leaves room for a client that starts later.
 *
 * In a simulation (three or five clients that start together, limits of 60 and 120, 134,000 calls in total) no call was
 * rejected after the first minute. Without shares, each run had 16 to 215 such rejections, and when clients started one
 * after the other, some calls failed permanently after five rejections. With shares and ten clients, 2 calls in 1,000
 * were still rejected.
 */
export interface Share {
  /** How many of our calls may be in the window. */
  calls: number;
  changedAt: number;
  /** The last time at which calls of other clients were noticed. */
  othersAt: number;
}

const HEADROOM = 0.08;
const SMALLEST_HEADROOM = 2;
const SHRINK_EVERY_MS = 30_000;
const GROW_EVERY_MS = 5_000;
/** The share shrinks if all responses of this period reported too few remaining calls. */
const RECENT_MS = 10_000;
/**
 * If no calls of other clients are noticed for this long, this client uses the whole limit. One window would be too
 * short, because other clients may wait for a whole window.
 */
const ALONE_AFTER_MS = 2 * WINDOW_MS;

/**
 * Creates a share after a rejection, or when few calls remain. It allows the fraction `part` of our calls in the
 * window, and at least one call.
 */
export function newShare(calls: CountedCall[], part: number, now: number): Share {
  const count = Math.max(1, Math.floor(ownCalls(calls).length * part));
  return { calls: count, changedAt: now, othersAt: now };
}

export function isAlone({ othersAt }: Share, now: number): boolean {
  return now - othersAt >= ALONE_AFTER_MS;
}

export function isScarce(limit: number, remaining: number): boolean {
  return remaining <= headroomOf(limit);
}

/**
 * Returns the milliseconds to wait before the next call, so that the calls of the share are spread over the window. If
 * they were sent in bursts, the number of remaining calls would not show how much other clients need.
 */
export function waitForShare(share: Share, calls: CountedCall[], now: number): number {
  const own = ownCalls(calls);
  if (own.length >= share.calls) return untilOneLeaves(own, now);
  const lastSent = own.reduce((last, { sentAt = 0 }) => Math.max(last, sentAt), 0);
  return Math.max(0, lastSent + WINDOW_MS / share.calls - now);
}

export function adjustShare(
  share: Share,
  calls: CountedCall[],
  limit: number,
  now: number,
  random: () => number,
): void {
  const own = ownCalls(calls);
  if (own.length < calls.length) share.othersAt = now;
  const answered = own.filter(({ remaining }) => remaining !== undefined) as Answered[];
  const recent = answered.filter(({ at }) => now - at < RECENT_MS);
  const headroom = headroomOf(limit);
  const sinceChange = now - share.changedAt;
  if (recent.every(({ remaining }) => remaining < headroom)) {
    if (sinceChange < SHRINK_EVERY_MS) return;
    // The random part makes a share below ten shrink only sometimes. Otherwise small shares would shrink faster than
    // large ones.
    share.calls = Math.max(1, Math.floor(share.calls * 0.9 + random()));
    share.changedAt = now;
    return;
  }
  // While our share is not used up, some of the remaining calls are our own, so they do not show that there is room to
  // grow.
  const isUsedUp = own.length >= share.calls - 1;
  const least = answered.reduce((lowest, { remaining }) => Math.min(lowest, remaining), Infinity);
  // The share grows at random times, so that other clients can notice the growth before they take the same slots.
  if (!isUsedUp || least <= headroom || sinceChange < GROW_EVERY_MS * (0.5 + random())) return;
  share.calls += Math.max(1, Math.floor((least - headroom) / 8));
  share.changedAt = now;
}

type Answered = CountedCall & { remaining: number };

function headroomOf(limit: number): number {
  return Math.max(SMALLEST_HEADROOM, Math.ceil(limit * HEADROOM));
}
