import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { Agent, type Dispatcher } from 'undici';
import { isPublicAddress, isPublicPort } from './addresses.js';
import { NameNotFound, type Resolve, resolveName } from './resolve.js';

/** The reasons why a request to an external server failed. The set is closed, and integrators see these values. */
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

interface OutboundAnswer {
  statusCode: number | null;
  error: OutboundError | null;
  durationMs: number;
  /** The first kilobyte of the response body. */
  excerpt: string | null;
}

interface OutboundOptions {
  /** Allows loopback and private addresses and every port, for development on one machine. */
  allowPrivate: boolean;
  timeoutMs: number;
  resolve?: Resolve;
}

const CONNECT_MS = 2_000;
const MAX_ANSWER = 65_536;
const EXCERPT = 1_024;
// The subscriptions of many stores may share one host. A subscription whose receiver hangs occupies up to 16
// connections, and deliveries to the others must still find a free one.
const CONNECTIONS_PER_HOST = 256;

/**
 * Sends requests to user-supplied URLs. Every address that the host name resolves to is checked, and the connection
 * is made to one of these addresses, because the name might resolve to another one later.
 */
export class Outbound {
  private readonly agent: Agent;
  private readonly resolve: Resolve;

  constructor(private readonly options: OutboundOptions) {
    this.resolve = options.resolve ?? resolveName;
    this.agent = new Agent({
      connect: (target, callback) => {
        this.connect(target).then(
          (socket) => callback(null, socket as never),
          (error) => callback(error, null),
        );
      },
      connections: CONNECTIONS_PER_HOST,
      pipelining: 1,
      // Shorter than the keep-alive timeout of most servers. A request on a connection that the server has just closed
      // would fail and use up an attempt.
      keepAliveTimeout: 1_000,
      keepAliveMaxTimeout: 1_000,
      // Disabled, because our own deadline covers the whole exchange.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** Returns whether the port or any address of this URL is forbidden, or false if the name cannot be resolved. */
  async isForbidden({ hostname, port, protocol }: URL): Promise<boolean> {
    if (this.options.allowPrivate) return false;
    if (!isPublicPort(portOf(protocol, port))) return true;
    try {
      return !(await this.resolve(hostname)).every(isPublicAddress);
    } catch {
      return false;
    }
  }

  /**
   * Never rejects: every failure is returned as a result for the log. One deadline covers name resolution,
   * connection, headers and body.
   */
  post(url: string, headers: Record<string, string>, body: string): Promise<OutboundAnswer> {
    const { origin, pathname, search } = new URL(url);
    return new Promise((resolve) => {
      const exchange = new Exchange(this.options.timeoutMs, resolve);
      this.agent.dispatch({ origin, path: pathname + search, method: 'POST', headers, body }, exchange);
    });
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private async connect(target: {
    hostname: string;
    port: string;
    protocol: string;
    servername?: string | null;
  }): Promise<Socket> {
    const deadline = AbortSignal.timeout(CONNECT_MS);
    const addresses = await beforeAbort(deadline, this.resolve(target.hostname));
    const secure = target.protocol === 'https:';
    const port = portOf(target.protocol, target.port);
    if (!this.options.allowPrivate && !(isPublicPort(port) && addresses.every(isPublicAddress)))
      throw new BlockedAddress();
    let failure: unknown;
    for (const host of addresses) {
      try {
        return await opened(
          secure ? connectTls({ host, port, servername: serverName(target) }) : connectTcp({ host, port }),
          secure,
          deadline,
        );
      } catch (error) {
        failure = error;
        if (deadline.aborted) break;
      }
    }
    throw failure;
  }
}

/**
 * One request and its response, as a handler for undici's dispatcher. We do not use undici's `request`: it creates a
 * stream for every body, and its abort signal has no effect while it waits for a connection, so the deadline could
 * pass unnoticed.
 */
class Exchange implements Dispatcher.DispatchHandler {
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

class BlockedAddress extends Error {}
class ConnectTimeout extends Error {}

function portOf(protocol: string, port: string): number {
  return Number(port) || (protocol === 'https:' ? 443 : 80);
}

/** A host name is sent as SNI and must match the certificate. An IP address has no SNI. */
function serverName({ hostname, servername }: { hostname: string; servername?: string | null }): string {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return isIP(bare) === 0 ? servername || bare : '';
}

function opened(socket: Socket, secure: boolean, deadline: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void) => {
      socket.removeListener('error', failed);
      deadline.removeEventListener('abort', late);
      finish();
    };
    const failed = (error: Error) => settle(() => reject(error));
    const late = () =>
      settle(() => {
        socket.on('error', () => {});
        socket.destroy();
        reject(new ConnectTimeout());
      });
    socket.once('error', failed);
    deadline.addEventListener('abort', late);
    socket.setNoDelay(true);
    socket.once(secure ? 'secureConnect' : 'connect', () => settle(() => resolve(socket)));
  });
}

function beforeAbort<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new ConnectTimeout()), { once: true });
    work.then(resolve, reject);
  });
}

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

/** Converts any response to text that can be stored: NUL and invalid UTF-8 become U+FFFD. */
function asText(bytes: Buffer): string {
  return bytes.subarray(0, EXCERPT).toString('utf8').replaceAll('\0', '\uFFFD');
}
