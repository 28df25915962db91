import { adjustShare, isAlone, isScarce, newShare, type Share, waitForShare } from './share.js';
import { ASK_AGAIN_MS, type CountedCall, OTHER, untilOneLeaves, WINDOW_MS } from './window.js';

/** What a response reported about the rate limit. */
export interface BudgetReport {
  limit: number;
  remaining: number;
  /** The time to wait. Set only if the call was rejected with 429. */
  refusedForMs?: number;
}

/**
 * Counts the calls of one store and app, in order to stay within their rate limit. Several processes can share a
 * budget: see FileBudget in @feira/sdk/node, and the recipe for Redis in the README.
 */
export interface Budget {
  /** Takes a slot for the call and returns 0, or returns how many milliseconds to wait before asking again. */
  reserve(callId: string, now: number): number | Promise<number>;
  /** Called when a call with a slot was answered, failed without a response, or was given up before it was sent. */
  settle(callId: string, report: BudgetReport | undefined, now: number): void | Promise<void>;
}

/** The complete state of a budget, as plain JSON. */
export interface BudgetState {
  /** Undefined while the limit is unknown. Until a response reports it, one call is sent at a time. */
  limit?: number;
  /** After a rejection, nothing is sent before this time (milliseconds since 1970). */
  blockedUntil?: number;
  calls: CountedCall[];
  /** Set only while part of the limit is left to clients that do not share this budget. */
  share?: Share;
}

/**
 * A call that is in flight when its process dies is never settled. It counts as if it had ended this long after it was
 * sent.
 */
const LOST_AFTER_MS = 60_000;

/**
 * Takes a slot for the call and returns 0, or returns how many milliseconds to wait before asking again.
 *
 * The server accepts `limit` calls in any 60 seconds and counts each call at some time between request and response, so
 * the slot of a call is certainly free 60 seconds after its response. If all clients of the store and app share the
 * budget, no call exceeds the limit.
 */
export function reserve(state: BudgetState, id: string, now: number): number {
  state.calls = state.calls.filter(
    ({ at, isOver }) => now - at < (isOver ? WINDOW_MS : LOST_AFTER_MS + WINDOW_MS),
  );
  if (state.share && isAlone(state.share, now)) delete state.share;
  const waitMs = waitFor(state, now);
  if (waitMs === 0) state.calls.push({ id, sentAt: now, at: now, isOver: false });
  return waitMs;
}

function waitFor({ blockedUntil = 0, limit, calls, share }: BudgetState, now: number): number {
  if (now < blockedUntil) return blockedUntil - now;
  if (limit === undefined) return calls.every(({ isOver }) => isOver) ? 0 : ASK_AGAIN_MS;
  if (calls.length >= limit) return untilOneLeaves(calls, now);
  return share ? waitForShare(share, calls, now) : 0;
}

/** Records that a call has ended, and what its response, if any, reported about the rate limit. */
export function settle(
  state: BudgetState,
  id: string,
  report: BudgetReport | undefined,
  now: number,
  random: () => number = Math.random,
): void {
  const call = state.calls.find((each) => each.id === id);
  if (call) Object.assign(call, { at: now, isOver: true });
  if (!report) return;
  const { limit, remaining, refusedForMs } = report;
  state.limit = limit;
  if (refusedForMs !== undefined) {
    refused(state, id, limit, refusedForMs, now);
    return;
  }
  if (call) call.remaining = remaining;
  // If the server has counted more calls than this budget has, other clients of the same store and app made the rest.
  const areOthers = addOthers(state, limit - remaining, () => now);
  if (state.share) adjustShare(state.share, state.calls, limit, now, random);
  else if (areOthers && isScarce(limit, remaining)) state.share = newShare(state.calls, 0.95, now);
}

/**
 * Handles a rejected call, which the server does not count. The window is full: the first slot becomes free after the
 * wait, and the slots of other clients are assumed to become free evenly from then until 60 seconds from now.
 */
function refused(state: BudgetState, id: string, limit: number, waitMs: number, now: number): void {
  state.calls = state.calls.filter((each) => each.id !== id);
  state.blockedUntil = now + waitMs;
  const oldest = Math.min(now, state.blockedUntil - WINDOW_MS);
  const missing = limit - state.calls.length;
  addOthers(state, limit, (index) => oldest + (index * (now - oldest)) / missing);
  const share = newShare(state.calls, 0.9, now);
  state.share = { ...share, calls: Math.min(share.calls, state.share?.calls ?? limit) };
}

/**
 * Adds a call of another client for each call that only the server has counted (`used` is the server's count). Returns
 * whether the window contains calls of other clients.
 */
function addOthers(state: BudgetState, used: number, at: (index: number) => number): boolean {
  const missing = used - state.calls.length;
  for (let index = 0; index < missing; index++) state.calls.push({ id: OTHER, at: at(index), isOver: true });
  return state.calls.some(({ id }) => id === OTHER);
}

/** A budget in memory, which counts the calls of one client. This is the default. */
export class MemoryBudget implements Budget {
  private readonly state: BudgetState;

  constructor(limit?: number) {
    this.state = { calls: [], ...(limit !== undefined && { limit }) };
  }

  reserve(callId: string, now: number): number {
    return reserve(this.state, callId, now);
  }

  settle(callId: string, report: BudgetReport | undefined, now: number): void {
    settle(this.state, callId, report, now);
  }
}
