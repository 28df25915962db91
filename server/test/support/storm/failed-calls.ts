/** A call that got no final response. Its caller may not know whether it was executed. */
export interface FailedCall {
  /** The time of the failure, as returned by performance.now(). */
  at: number;
  call: string;
  problem: string;
  /** Whether an ordinary client could repeat the call without harm, and would do so. */
  isCleanRetry: boolean;
}

export const KEY_IN_USE = 'idempotency_key_in_use';

/** A response after which the caller has to try again. */
export class FailedAnswer extends Error {
  constructor(
    readonly status: number,
    readonly retryAfter: string | null,
    readonly detail = '',
  ) {
    super(`${status} ${detail}`);
  }
}

/**
 * Describes a failed call. `isRepeatable` means that the call is a read, or has an idempotency key or another
 * protection against a second execution.
 */
export function describeFailure(call: string, error: unknown, isRepeatable: boolean): FailedCall {
  if (error instanceof FailedAnswer) {
    const { status, detail, retryAfter } = error;
    return {
      at: performance.now(),
      call,
      problem: `${error.message}, ${retryAfter === null ? 'without' : 'with'} Retry-After`,
      isCleanRetry: retryAfter !== null && (status === 503 || detail === KEY_IN_USE),
    };
  }
  const { name, message, cause } = error as Error & { cause?: { code?: string; message: string } };
  const isClosed = message === 'fetch failed' || message === 'terminated';
  return {
    at: performance.now(),
    call,
    problem: isClosed ? `connection closed: ${cause?.code} ${cause?.message}` : `${name}: ${message}`,
    isCleanRetry: isClosed && isRepeatable,
  };
}

/** The number of failed calls of each kind. */
export function countFailures(failed: FailedCall[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { call, problem } of failed) {
    const kind = `${call}: ${problem}`;
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}
