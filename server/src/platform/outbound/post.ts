import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { Agent, request } from 'undici';
import { isPublicAddress } from './addresses.js';
import { NameNotFound, type Resolve, resolveName } from './resolve.js';

/** Why a request to somebody else's server failed: a closed set, told to the integrator as it is. */
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
  /** The first kilobyte of what came back. */
  excerpt: string | null;
}

export interface OutboundOptions {
  /** Loopback and private targets, for development on one machine. */
  allowPrivate: boolean;
  timeoutMs: number;
  resolve?: Resolve;
}

const CONNECT_MS = 2_000;
const MAX_ANSWER = 65_536;
const EXCERPT = 1_024;
// Many stores may share one host. Those of its addresses that hang hold two each and must leave some to the others.
const CONNECTIONS_PER_HOST = 256;

/** Sends to addresses that strangers chose: each is checked, and it is the checked address that is connected to. */
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
      // Shorter than servers usually keep an idle connection: one that they just closed would cost an attempt.
      keepAliveTimeout: 1_000,
      keepAliveMaxTimeout: 1_000,
    });
  }

  /** Does the host lead, by any of its addresses, to a place that requests must not go to? */
  async isForbidden(host: string): Promise<boolean> {
    if (this.options.allowPrivate) return false;
    try {
      return !(await this.resolve(host)).every(isPublicAddress);
    } catch {
      return false;
    }
  }

  /** Never throws: whatever happens is an answer for the log. One deadline covers name, connection, headers and body. */
  async post(url: string, headers: Record<string, string>, body: string): Promise<OutboundAnswer> {
    const started = performance.now();
    const signal = AbortSignal.timeout(this.options.timeoutMs);
    let statusCode: number | null = null;
    let excerpt: string | null = null;
    let error: OutboundError | null = null;
    try {
      // undici heeds the signal only once it has a connection: while it waits for one, the deadline is ours to keep.
      const response = await beforeAbort(
        signal,
        request(url, { method: 'POST', headers, body, signal, dispatcher: this.agent }),
        Deadline,
      );
      statusCode = response.statusCode;
      const received: Buffer[] = [];
      let size = 0;
      for await (const chunk of response.body) {
        if (size < EXCERPT) received.push(chunk);
        size += chunk.length;
        if (size > MAX_ANSWER) {
          response.body.destroy();
          error = 'response_too_large';
          break;
        }
      }
      excerpt = asText(Buffer.concat(received));
    } catch (failure) {
      error = classify(failure, signal);
    }
    return { statusCode, error, excerpt, durationMs: Math.round(performance.now() - started) };
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
    const addresses = await beforeAbort(deadline, this.resolve(target.hostname), ConnectTimeout);
    if (!this.options.allowPrivate && !addresses.every(isPublicAddress)) throw new BlockedAddress();
    const secure = target.protocol === 'https:';
    const port = Number(target.port) || (secure ? 443 : 80);
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

class BlockedAddress extends Error {}
class ConnectTimeout extends Error {}
class Deadline extends Error {}

/** A name goes into SNI and is what the certificate must be for; an address has no SNI. */
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

function beforeAbort<T>(signal: AbortSignal, work: Promise<T>, Late: new () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Late());
    signal.addEventListener('abort', late);
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', late));
  });
}

function classify(failure: unknown, signal: AbortSignal): OutboundError {
  if (failure instanceof BlockedAddress) return 'blocked_address';
  if (failure instanceof NameNotFound) return 'name_not_found';
  if (failure instanceof ConnectTimeout) return 'connect_timeout';
  if (signal.aborted) return 'timeout';
  const { code = '', name = '' } = failure as NodeJS.ErrnoException;
  if (code === 'ECONNREFUSED') return 'connection_refused';
  if (/^(ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|EADDRNOTAVAIL)$/.test(code)) return 'connect_timeout';
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code)) return 'tls_failed';
  if (/^(ECONNRESET|EPIPE|UND_ERR_SOCKET|ECONNABORTED)$/.test(code)) return 'connection_reset';
  return name.startsWith('HTTPParser') || code.startsWith('HPE_') || code.startsWith('UND_ERR')
    ? 'invalid_response'
    : 'connection_reset';
}

/** Storable whatever the receiver sent: no NUL, and no half of a character at the cut. */
function asText(bytes: Buffer): string {
  return bytes.subarray(0, EXCERPT).toString('utf8').replaceAll('\0', '\uFFFD');
}
