/** Time as the application sees it. Tests hand in one they can move, so that nothing sleeps to wait. */
export interface Clock {
  /** Wall clock, milliseconds since 1970: what lifetimes are compared with. */
  now(): number;
  /** Never goes backwards: what rolling windows are measured with. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};
