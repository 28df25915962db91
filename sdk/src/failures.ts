import { FeiraError } from './errors.js';
import type { ErrorBody } from './types.js';

/** Creates the error for a response that is not a success. */
export async function refusal(response: Response, attempts: number): Promise<FeiraError> {
  const { status } = response;
  const requestId = response.headers.get('x-request-id') ?? undefined;
  const body = await errorBody(response);
  if (body) {
    const { error, code, docUrl, details = [] } = body;
    return new FeiraError(error, {
      status,
      code,
      docUrl,
      details,
      attempts,
      requestId: requestId ?? body.requestId,
    });
  }
  const location = response.headers.get('location');
  const message =
    status >= 300 && status < 400 && location
      ? `The server redirected to ${location}. Use the final address as baseUrl`
      : `The response (status ${status}) is not from the API. A proxy may have sent it`;
  return new FeiraError(message, { status, code: 'invalid_response', attempts, requestId });
}

/** Creates the error for a request without a complete response. */
export function connectionError(
  cause: unknown,
  timeout: AbortSignal,
  url: string,
  attempts: number,
): FeiraError {
  const { host } = new URL(url);
  if (timeout.aborted)
    return new FeiraError(`No complete response from ${host} within the timeout`, {
      code: 'timeout',
      attempts,
      cause,
    });
  return new FeiraError(`Could not reach ${host}: ${reasonOf(cause)}`, {
    code: 'connection_failed',
    attempts,
    cause,
  });
}

async function errorBody(response: Response): Promise<ErrorBody | undefined> {
  try {
    const body = (await response.json()) as Partial<ErrorBody>;
    return typeof body.error === 'string' && typeof body.code === 'string' ? (body as ErrorBody) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the reason for a failure. fetch itself reports only "fetch failed" and puts the reason into `cause`. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? message ?? String(error);
}
