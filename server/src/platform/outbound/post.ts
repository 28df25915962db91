import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Agent } from 'undici';
import { isPublicAddress, isPublicPort } from './addresses.js';
import { BlockedAddress, ConnectTimeout, Exchange, type OutboundAnswer } from './exchange.js';
import { type Resolve, resolveName } from './resolve.js';

interface OutboundOptions {
  /** Allows loopback and private addresses and every port, for development on one machine. */
  allowPrivate: boolean;
  timeoutMs: number;
  resolve?: Resolve;
}

const CONNECT_MS = 2_000;
// The subscriptions of many stores may share one host. A subscription whose receiver hangs occupies up to 16
// connections, and deliveries of the other subscriptions must still find a free one.
const CONNECTIONS_PER_HOST = 256;

/**
 * Sends requests to user-supplied URLs. Every address that the host name resolves to is checked, and the connection
 * is made to one of these addresses, because the name might resolve to another one later.
 */
export class Outbound {
  private agent: Agent | undefined;
  private opening: Promise<Agent> | undefined;
  private readonly resolve: Resolve;

  constructor(private readonly options: OutboundOptions) {
    this.resolve = options.resolve ?? resolveName;
  }

  /** Returns whether the port of this URL or an address of its host is forbidden, or false if the name lookup fails. */
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
   * Never rejects if the URL is valid: every failure is returned as a result for the log. One deadline covers name
   * resolution, connection, headers and body.
   */
  async post(url: string, headers: Record<string, string>, body: string): Promise<OutboundAnswer> {
    const { origin, pathname, search } = new URL(url);
    const agent = this.agent ?? (await this.openAgent());
    return new Promise((resolve) => {
      const exchange = new Exchange(this.options.timeoutMs, resolve);
      agent.dispatch({ origin, path: pathname + search, method: 'POST', headers, body }, exchange);
    });
  }

  async close(): Promise<void> {
    const agent = await this.opening;
    await agent?.destroy();
  }

  /** undici is imported with the first request, because the import takes 70 ms, which would delay the start. */
  private async openAgent(): Promise<Agent> {
    this.opening ??= import('undici').then((undici) => this.newAgent(undici));
    this.agent = await this.opening;
    return this.agent;
  }

  private newAgent({ Agent }: typeof import('undici')): Agent {
    return new Agent({
      connect: (target, callback) => {
        this.connect(target).then(
          (socket) => callback(null, socket as never),
          (error) => callback(error, null),
        );
      },
      connections: CONNECTIONS_PER_HOST,
      pipelining: 1,
      // This is shorter than the keep-alive timeout of most servers, because a request on a connection that the server
      // has just closed would fail and use up an attempt.
      keepAliveTimeout: 1_000,
      keepAliveMaxTimeout: 1_000,
      // These two timeouts are disabled, because our own deadline covers the whole exchange.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
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
