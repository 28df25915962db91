/** The time as the application sees it. Tests use a clock that they can move, so that they need not wait. */
export interface Clock {
  /** Wall-clock time in milliseconds since 1970. */
  now(): number;
  /** Milliseconds since an arbitrary start. They never go backwards, so durations are measured with them. */
  monotonic(): number;
}

/** The clock of this machine. Stored times come from the database, so compare them with DatabaseClock instead. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};
