import { FeiraError } from './errors.js';

export function deadlineIn(ms: number | undefined): AbortSignal | undefined {
  return ms === undefined ? undefined : AbortSignal.timeout(ms);
}

/** Returns a signal that is aborted as soon as one of the given signals is. */
export function anyOf(...signals: (AbortSignal | undefined)[]): AbortSignal {
  return AbortSignal.any(signals.filter((each) => each !== undefined));
}

/**
 * Settles like `work`, but rejects as soon as the signal is aborted. Even then `work` continues, because other calls
 * may also wait for it.
 */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/**
 * Returns the error for a call that was aborted by the caller or by the deadline of the call. If the deadline passed
 * after a failed attempt, the error contains that failure.
 */
export function stopped(
  signal: AbortSignal,
  ofCaller: AbortSignal | undefined,
  attempts: number,
  lastFailure: FeiraError | undefined,
): FeiraError {
  if (ofCaller?.aborted)
    return new FeiraError('The call was aborted', { code: 'aborted', attempts, cause: ofCaller.reason });
  const reason = lastFailure ? `. The last failure was: ${lastFailure.message}` : '';
  return new FeiraError(`The deadline of the call passed${reason}`, {
    code: 'deadline_exceeded',
    attempts,
    cause: lastFailure ?? signal.reason,
  });
}
