import type { Dispatcher } from 'undici';
import { NameNotFound } from './resolve.js';

/**
 * The reasons why a request to an external server failed. Integrators see these values, so a new value must also be
 * added to the schema of the API.
 */
export type OutboundError =
  | 'blocked_address'
  | 'name_not_found'
  | 'connect_timeout'
  | 'connection_refused'
  | 'connection_reset'
  | 'tls_failed'
  | 'timeout'
  | 'response_too_large'
  | 'invalid_response';

export interface OutboundAnswer {
  statusCode: number | null;
  error: OutboundError | null;
  durationMs: number;
  /** The first kilobyte of the response body. */
  excerpt: string | null;
}

const MAX_ANSWER = 65_536;
const EXCERPT = 1_024;

/**
 * One request and its response, as a handler for undici's dispatcher. We do not use undici's `request`: it creates a
 * stream for every body, and its abort signal has no effect while it waits for a connection, so the deadline could
 * pass unnoticed.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  private readonly started = performance.now();
  private readonly deadline: NodeJS.Timeout;
  private controller: Dispatcher.DispatchController | undefined;
  private statusCode: number | null = null;
  private readonly received: Buffer[] = [];
  private size = 0;
  private ended = false;

  constructor(
    timeoutMs: number,
    private readonly answer: (answer: OutboundAnswer) => void,
  ) {
    this.deadline = setTimeout(() => this.abort('timeout'), timeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.ended) controller.abort(new Error('too late'));
  }

  onResponseStart(_: Dispatcher.DispatchController, statusCode: number): void {
    this.statusCode = statusCode;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    // The excerpt is copied, because a slice would keep the whole chunk in memory.
    if (this.size < EXCERPT) this.received.push(Buffer.from(chunk.subarray(0, EXCERPT)));
    this.size += chunk.length;
    if (this.size > MAX_ANSWER) this.abort('response_too_large');
  }

  onResponseEnd(): void {
    this.end(null);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.end(classify(error));
  }

  private abort(error: OutboundError): void {
    this.end(error);
    this.controller?.abort(new Error(error));
  }

  private end(error: OutboundError | null): void {
    if (this.ended) return;
    this.ended = true;
    clearTimeout(this.deadline);
    const { statusCode, received } = this;
    const excerpt = statusCode === null ? null : asText(Buffer.concat(received));
    this.answer({ statusCode, error, excerpt, durationMs: Math.round(performance.now() - this.started) });
  }
}

export class BlockedAddress extends Error {}
export class ConnectTimeout extends Error {}

function classify(failure: unknown): OutboundError {
  if (failure instanceof BlockedAddress) return 'blocked_address';
  if (failure instanceof NameNotFound) return 'name_not_found';
  if (failure instanceof ConnectTimeout) return 'connect_timeout';
  const { code = '', name = '' } = failure as NodeJS.ErrnoException;
  if (code === 'ECONNREFUSED') return 'connection_refused';
  if (/^(ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|EADDRNOTAVAIL)$/.test(code)) return 'connect_timeout';
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code)) return 'tls_failed';
  if (/^(ECONNRESET|EPIPE|UND_ERR_SOCKET|ECONNABORTED)$/.test(code)) return 'connection_reset';
  return name.startsWith('HTTPParser') || code.startsWith('HPE_') || code.startsWith('UND_ERR')
    ? 'invalid_response'
    : 'connection_reset';
}

/** Converts the first kilobyte of a response to text that can be stored: NUL and invalid UTF-8 become U+FFFD. */
function asText(bytes: Buffer): string {
  return bytes.subarray(0, EXCERPT).toString('utf8').replaceAll('\0', '\uFFFD');
}
