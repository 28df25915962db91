import type { CallSite } from './errors.js';
import { FeiraError } from './errors.js';
import type { CallSpec } from './sent-request.js';
import type { StartedOptions, Transport } from './transport.js';

/** The data of a response, and the response itself with its status and headers. Its body has already been read. */
export interface WithResponse<T> {
  data: T;
  response: Response;
}

/** A call that has been started. Await it for its data, or await `withResponse()` to get the headers as well. */
export class Call<T> implements Promise<T> {
  readonly [Symbol.toStringTag] = 'Call';

  constructor(private readonly answer: Promise<WithResponse<T>>) {}

  // biome-ignore lint/suspicious/noThenProperty: a Call is a promise with one more method
  then<A = T, B = never>(
    onFulfilled?: ((data: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.answer.then(({ data }) => data).then(onFulfilled, onRejected);
  }

  catch<B = never>(onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.then(undefined, onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<T> {
    return this.then().finally(onFinally);
  }

  /** Returns the data together with the response, for example to read the ETag. Does not send the call again. */
  withResponse(): Promise<WithResponse<T>> {
    return this.answer;
  }
}

/**
 * Sends one JSON call. `pick` returns the part of the body that the caller needs. Its second argument is the number of
 * times that the request has been sent.
 */
export function sendJson<T>(
  transport: Transport,
  spec: CallSpec,
  options: StartedOptions,
  site: CallSite,
  pick: (body: never, attempts: number) => T = (body) => body as T,
): Promise<WithResponse<T>> {
  return transport.send(spec, options, site, async (response, attempts) => ({
    data: pick(parsed(await response.text(), response, attempts) as never, attempts),
    response,
  }));
}

function parsed(text: string, { status, headers }: Response, attempts: number): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const requestId = headers.get('x-request-id') ?? undefined;
    throw new FeiraError(`The response (status ${status}) is not JSON. A proxy may have sent it`, {
      status,
      code: 'invalid_response',
      attempts,
      requestId,
      cause,
    });
  }
}
