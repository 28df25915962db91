/** A call that is counted in the window of the rate limit. */
export interface CountedCall {
  /** `other` for a call that the server has counted but that was made by a client that does not share this budget. */
  id: string;
  sentAt?: number;
  /** The time at which the call was sent or, once it is over, the time at which it ended. */
  at: number;
  isOver: boolean;
  /** The number of remaining calls that the response reported. */
  remaining?: number;
}

export const WINDOW_MS = 60_000;
export const OTHER = 'other';
/** The delay before the next check when only calls in flight can free a slot. */
export const ASK_AGAIN_MS = 50;

export function ownCalls(calls: CountedCall[]): CountedCall[] {
  return calls.filter(({ id }) => id !== OTHER);
}

/** Returns the milliseconds until the oldest finished call leaves the window, or a short delay if none is finished. */
export function untilOneLeaves(calls: CountedCall[], now: number): number {
  const times = calls.filter(({ isOver }) => isOver).map(({ at }) => at);
  if (times.length === 0) return ASK_AGAIN_MS;
  return Math.max(1, times.reduce((oldest, at) => Math.min(oldest, at)) + WINDOW_MS - now);
}
