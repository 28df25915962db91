/** Time as the application sees it. Tests provide one they can move, so that no test sleeps to wait. */
export interface Clock {
  /** Wall clock, milliseconds since 1970: what lifetimes are compared with. */
  now(): number;
  /** Never goes backwards: what rolling windows are measured with. */
  monotonic(): number;
}

/** The clock of this machine. Nothing that is compared with stored times may use it: see DatabaseClock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};
