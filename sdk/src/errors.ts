import type { ErrorBody } from './types.js';

/** The error codes of the API, and the codes of failures that the SDK itself detects. */
export type ErrorCode =
  | ErrorBody['code']
  | 'aborted'
  | 'connection_failed'
  | 'deadline_exceeded'
  | 'invalid_argument'
  | 'invalid_response'
  | 'reconnect_needed'
  | 'snapshot_incomplete'
  | 'timeout'
  | 'upload_refused';

export interface ErrorDetail {
  field?: string | undefined;
  message?: string | undefined;
}

export interface ErrorFields {
  /** The HTTP status; 0 if there was no complete response. */
  status?: number;
  code: ErrorCode;
  requestId?: string | undefined;
  details?: ErrorDetail[];
  docUrl?: string | undefined;
  attempts?: number;
  cause?: unknown;
}

// A global symbol, because an application may contain two copies of the SDK (two versions, or one that is installed and
// one in a bundle), and instanceof must recognize the errors of both.
const KINDS = Symbol.for('@feira/sdk.error');

/** The error that a failed call throws. */
export class FeiraError extends Error {
  static readonly kind: string = 'FeiraError';
  /** The HTTP status; 0 if there was no complete response. For ReconnectNeeded, always 401. */
  readonly status: number;
  /** A stable code for programs. The API may add codes. */
  readonly code: ErrorCode;
  /** The id of the request, if the response had one. Include it when you contact support. */
  readonly requestId: string | undefined;
  /** All validation errors of a 422, each with the name of its field. Empty for other errors. */
  readonly details: ErrorDetail[];
  /** A page that explains the code. */
  readonly docUrl: string | undefined;
  /** How many times the request was sent. For ReconnectNeeded, always 0. */
  readonly attempts: number;
  /**
   * Set if one call of a batch failed: the results of the earlier calls of the batch, in the order of their entries.
   * Empty if the first call failed.
   */
  completed?: readonly unknown[];

  constructor(message: string, fields: ErrorFields) {
    super(message, fields.cause === undefined ? undefined : { cause: fields.cause });
    const { status = 0, code, requestId, details = [], docUrl, attempts = 0 } = fields;
    this.name = new.target.kind;
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.details = details;
    this.docUrl = docUrl;
    this.attempts = attempts;
    Object.defineProperty(this, KINDS, { value: [FeiraError.kind, new.target.kind] });
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    // A subclass defined by an application has no `kind` of its own, so the ordinary instanceof check applies.
    // biome-ignore-start lint/complexity/noThisInStatic: subclasses inherit this method, and `this` is the subclass
    if (!Object.hasOwn(this, 'kind')) return Function.prototype[Symbol.hasInstance].call(this, value);
    const kinds = (value as { [KINDS]?: string[] } | null | undefined)?.[KINDS];
    return Array.isArray(kinds) && kinds.includes(this.kind);
    // biome-ignore-end lint/complexity/noThisInStatic: see above
  }
}

/**
 * The merchant must approve the app again, because no tokens are stored for the store, or because the refresh token was
 * already used, has expired or was revoked.
 */
export class ReconnectNeeded extends FeiraError {
  static override readonly kind: string = 'ReconnectNeeded';

  constructor(
    readonly workspaceId: string,
    /** The URL to send the merchant to. */
    readonly authorizeUrl: string,
    cause?: unknown,
  ) {
    super(`Store ${workspaceId} has to be connected again: send the merchant to error.authorizeUrl`, {
      status: 401,
      code: 'reconnect_needed',
      cause,
    });
  }
}

/** The stack trace of the place where the application made a call. */
export interface CallSite {
  stack?: string;
}

/** Captures the stack. In V8, the frames of `below` and of the functions that it called are left out. */
export function callSite(
  below: ((...args: never[]) => unknown) | (new (...args: never[]) => unknown),
): CallSite {
  const site: CallSite = {};
  const { captureStackTrace } = Error as { captureStackTrace?: (target: object, below: unknown) => void };
  if (captureStackTrace) captureStackTrace(site, below);
  else Object.assign(site, { stack: new Error().stack });
  return site;
}

/**
 * Gives an error the stack of the call. The error is created after several asynchronous steps, when the caller is no
 * longer on the stack.
 */
export function placeAt<E extends Error>(error: E, site: CallSite): E {
  const frames = site.stack?.split('\n').filter((line) => /^\s+at /.test(line));
  if (frames?.length) error.stack = `${error.name}: ${error.message}\n${frames.join('\n')}`;
  return error;
}
