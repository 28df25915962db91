/** What the server reported about the budget in a response. */
export interface BudgetReport {
  limit: number;
  remaining: number;
  /** Set if the call was rejected: how long to wait. */
  refusedForMs?: number;
}

/**
 * Counts the calls of one store and app. Several processes can share one: see fileBudget in @feira/sdk/node, and the
 * recipes in the README.
 */
export interface Budget {
  /** Takes a slot for the call and returns 0, or returns how many milliseconds to wait before asking again. */
  reserve(callId: string, now: number): number | Promise<number>;
  /** Called when the call was answered, or failed without a response. */
  settle(callId: string, report: BudgetReport | undefined, now: number): void | Promise<void>;
}

/** The complete state of a budget, as plain JSON. */
export interface BudgetState {
  /** undefined until the first response has reported it. Until then, one call is sent at a time. */
  limit?: number;
  /** After a rejection, nothing is sent before this time. */
  blockedUntil?: number;
  calls: { id: string; at: number; isOver: boolean }[];
}

const WINDOW_MS = 60_000;
/** A call whose process has died is never settled. It counts as finished after this time. */
const LOST_AFTER_MS = 60_000;
/** The wait before asking again when only calls in flight can free a slot. */
const ASK_AGAIN_MS = 50;

/**
 * The server accepts `limit` calls in any 60 seconds. It counted a call at some time between request and response, so
 * its slot is certainly free 60 seconds after the response. With this count, no call is sent that would be rejected.
 */
export function reserve(state: BudgetState, id: string, now: number): number {
  state.calls = state.calls.filter(
    ({ at, isOver }) => now - at < (isOver ? WINDOW_MS : LOST_AFTER_MS + WINDOW_MS),
  );
  if (state.blockedUntil !== undefined && now < state.blockedUntil) return state.blockedUntil - now;
  const over = state.calls.filter(({ isOver }) => isOver).map(({ at }) => at);
  const isFree =
    state.limit === undefined ? over.length === state.calls.length : state.calls.length < state.limit;
  if (isFree) {
    state.calls.push({ id, at: now, isOver: false });
    return 0;
  }
  return state.limit === undefined || over.length === 0
    ? ASK_AGAIN_MS
    : Math.max(1, over.reduce((oldest, at) => Math.min(oldest, at)) + WINDOW_MS - now);
}

export function settle(state: BudgetState, id: string, report: BudgetReport | undefined, now: number): void {
  const call = state.calls.find((each) => each.id === id);
  if (call) Object.assign(call, { at: now, isOver: true });
  if (!report) return;
  state.limit = report.limit;
  if (report.refusedForMs === undefined) {
    // Calls that the server has counted and this budget has not were made by another system with the same credential.
    addForeign(state, report.limit - report.remaining, () => now);
    return;
  }
  // A rejected call costs nothing. The window is full: the first slot becomes free after the wait, and the others are
  // assumed to become free evenly until the end of the window.
  state.calls = state.calls.filter((each) => each.id !== id);
  state.blockedUntil = now + report.refusedForMs;
  const oldest = Math.min(now, state.blockedUntil - WINDOW_MS);
  const missing = report.limit - state.calls.length;
  addForeign(state, report.limit, (index) => oldest + (index * (now - oldest)) / missing);
}

function addForeign(state: BudgetState, used: number, at: (index: number) => number): void {
  const missing = used - state.calls.length;
  for (let index = 0; index < missing; index++)
    state.calls.push({ id: 'foreign', at: at(index), isOver: true });
}

/** The budget of one process. */
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
