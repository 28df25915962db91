import { type Clock, systemClock } from './clock.js';
import { anyOf, deadlineIn, stopped, unlessAborted } from './ending.js';
import { type CallSite, FeiraError, placeAt } from './errors.js';
import { connectionError, refusal } from './failures.js';
import type { CallOptions, ConditionalOptions, FeiraOptions } from './options.js';
import { type BudgetReport, MemoryBudget } from './pacing/budget.js';
import { Pacer } from './pacing/pacer.js';
import { reportOf, UPLOADS_PER_MINUTE, uploadReport } from './pacing/report.js';
import { backoffMs, LONGEST_WAIT_MS, retryAfterMs, shouldRetry } from './retry.js';
import { type CallSpec, requestOf, type SentRequest } from './sent-request.js';

/**
 * Reads what the caller needs from the response, while the timeout of the attempt still applies. `attempts` is the
 * number of times that the request has been sent.
 */
export type Read<T> = (response: Response, attempts: number) => Promise<T>;

/** The options of a call. If the call is part of an operation that has already begun, they include its deadline. */
export type StartedOptions<O extends CallOptions = ConditionalOptions> = O & {
  deadline?: AbortSignal | undefined;
};

const TIMEOUT_MS = 30_000;
const MAX_ATTEMPTS = 5;
const CONCURRENCY = 8;

/**
 * Sends the calls of one store: within its rate limit, with a timeout per attempt, and with retries where they can
 * help.
 */
export class Transport {
  readonly clock: Clock;
  readonly fetch: typeof fetch;
  private readonly calls: Pacer;
  private readonly uploads: Pacer;

  constructor(private readonly options: FeiraOptions) {
    this.clock = options.clock ?? systemClock;
    this.fetch = options.fetch ?? ((input, init) => fetch(input, init));
    const concurrency = options.concurrency ?? CONCURRENCY;
    this.calls = new Pacer(options.budget ?? new MemoryBudget(), concurrency, this.clock);
    this.uploads = new Pacer(new MemoryBudget(UPLOADS_PER_MINUTE), concurrency, this.clock);
  }

  get timeoutMs(): number {
    return this.options.timeoutMs ?? TIMEOUT_MS;
  }

  maxAttempts(options: CallOptions): number {
    return options.maxAttempts ?? this.options.maxAttempts ?? MAX_ATTEMPTS;
  }

  /** Returns the options for the calls of one operation. Its deadline is counted from now and covers all of them. */
  start<O extends CallOptions>(options: O): StartedOptions<O> {
    return { ...options, deadline: deadlineIn(options.deadlineMs ?? this.options.deadlineMs) };
  }

  /** Sends a call. If it throws a FeiraError, the error has the stack of `site`. */
  async send<T>(spec: CallSpec, options: StartedOptions, site: CallSite, read: Read<T>): Promise<T> {
    const { deadline } = 'deadline' in options ? options : this.start(options);
    const signal = anyOf(options.signal, deadline);
    // Built once, so that every attempt sends the same bytes with the same Idempotency-Key.
    const request = requestOf(spec, options, this.options);
    const state: Attempts = { count: 0, refusedToken: undefined, renewed: false, report: undefined };
    try {
      for (;;) {
        const result = await this.attempt(spec, request, options, signal, state, read);
        if ('value' in result) return result.value;
        await this.clock.sleep(result.waitMs, signal);
      }
    } catch (error) {
      if (error instanceof FeiraError) throw placeAt(error, site);
      if (signal.aborted) {
        const error = stopped(signal, options.signal, state.count, state.lastFailure);
        throw placeAt(error, site);
      }
      throw error;
    }
  }

  /** Waits for a slot and sends the request once. */
  private async attempt<T>(
    spec: CallSpec,
    request: SentRequest,
    options: ConditionalOptions,
    signal: AbortSignal,
    state: Attempts,
    read: Read<T>,
  ): Promise<Outcome<T>> {
    const priority = options.priority ?? 'normal';
    state.report = undefined;
    const uploadId = spec.isUpload ? await this.uploads.acquire(priority, signal) : undefined;
    try {
      const callId = await this.calls.acquire(priority, signal);
      try {
        const token = await unlessAborted(this.accessToken(state.refusedToken), signal);
        state.refusedToken = undefined;
        return await this.exchange(request, token, options, signal, state, read);
      } finally {
        await this.calls.release(callId, spec.isUpload ? undefined : state.report);
      }
    } finally {
      if (uploadId !== undefined) await this.uploads.release(uploadId, uploadReport(state.report));
    }
  }

  private async exchange<T>(
    { url, ...init }: SentRequest,
    token: string,
    options: ConditionalOptions,
    signal: AbortSignal,
    state: Attempts,
    read: Read<T>,
  ): Promise<Outcome<T>> {
    // AbortSignal.timeout cannot be canceled, so it would also abort a stream that `read` returns and that continues
    // after the attempt.
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), options.timeoutMs ?? this.timeoutMs);
    const headers = { ...init.headers, authorization: `Bearer ${token}` };
    const signals = AbortSignal.any([signal, timeout.signal]);
    state.count++;
    try {
      const response = await this.fetch(url, { ...init, headers, redirect: 'manual', signal: signals });
      state.report = reportOf(response, this.clock.now());
      if (response.ok) return { value: await read(response, state.count) };
      if (response.status === 401 && typeof this.options.token !== 'string' && !state.renewed) {
        Object.assign(state, { renewed: true, refusedToken: token });
        await response.body?.cancel();
        return { waitMs: 0 };
      }
      const error = await refusal(response, state.count);
      if (!shouldRetry(response)) throw error;
      const retryAfter = retryAfterMs(response, this.clock.now());
      return { waitMs: this.waitBefore(state, options, error, retryAfter) };
    } catch (error) {
      if (error instanceof FeiraError || signal.aborted) throw error;
      const failure = connectionError(error, timeout.signal, url, state.count);
      return { waitMs: this.waitBefore(state, options, failure) };
    } finally {
      clearTimeout(timer);
    }
  }

  private async accessToken(refused: string | undefined): Promise<string> {
    const { token } = this.options;
    return typeof token === 'string' ? token : token.accessToken(refused);
  }

  /** Returns the milliseconds to wait before the next attempt. Throws `error` if no further attempt is made. */
  private waitBefore(
    state: Attempts,
    options: ConditionalOptions,
    error: FeiraError,
    retryAfter?: number,
  ): number {
    state.lastFailure = error;
    if (state.count >= this.maxAttempts(options)) throw error;
    if (retryAfter !== undefined && retryAfter > LONGEST_WAIT_MS) throw error;
    return retryAfter ?? backoffMs(state.count);
  }
}

interface Attempts {
  count: number;
  /** The token that the API has rejected with 401. */
  refusedToken: string | undefined;
  renewed: boolean;
  /** What the response of the current attempt reported about the rate limit. */
  report: BudgetReport | undefined;
  lastFailure?: FeiraError;
}

type Outcome<T> = { value: T } | { waitMs: number };
