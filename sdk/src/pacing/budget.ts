/** What the server said about the budget in its answer. */
export interface BudgetReport {
  limit: number;
  remaining: number;
  /** Set when the call was refused: how long to wait. */
  refusedForMs?: number;
}

/**
 * Counts the calls of one store and app. Several processes can share one: see fileBudget in @feira/sdk/node, and the
 * recipes in the README.
 */
export interface Budget {
  /** Takes a slot for the call and returns 0, or returns how many milliseconds to wait before asking again. */
  reserve(callId: string, now: number): number | Promise<number>;
  /** The call has its answer, or has failed without one. */
  settle(callId: string, report: BudgetReport | undefined, now: number): void | Promise<void>;
}

/** Everything a budget remembers, as plain JSON. */
export interface BudgetState {
  /** undefined until an answer has told it. Until then there is one call at a time. */
  limit?: number;
  /** After a refusal: nothing is sent before this time. */
  blockedUntil?: number;
  calls: { id: string; at: number; isOver: boolean }[];
}

const WINDOW_MS = 60_000;
/** A call whose process has died is not settled. It counts as over after this time. */
const LOST_AFTER_MS = 60_000;
/** How soon to ask again when only calls in flight can make room. */
const ASK_AGAIN_MS = 50;

/**
 * The server accepts `limit` calls in any 60 seconds. It counted a call at some time between request and answer, so a
 * slot is free for certain 60 seconds after the answer. Counting like that, no call is sent that would be refused.
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
    // Calls that the server has counted and we do not know were made by somebody else with the same credential.
    addForeign(state, report.limit - report.remaining, () => now);
    return;
  }
  // A refused call costs nothing. The window is full: the first slot frees after the wait, and the others are assumed
  // to free evenly until the window is over.
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
