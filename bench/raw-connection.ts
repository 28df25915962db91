import { connect, type Socket } from 'node:net';

export interface RawResponse {
  status: number;
  head: string;
  body: string;
}

const HEAD_END = '\r\n\r\n';

/**
 * A connection with one request in flight at a time, for clients that need the content of responses. It uses much less
 * CPU time than node:http, which matters because the benchmark competes with the server and PostgreSQL for the CPU.
 */
export class RawConnection {
  private readonly socket: Socket;
  private received: Buffer[] = [];
  private waiting: { resolve(response: RawResponse): void; reject(error: Error): void } | undefined;

  constructor(port: number) {
    this.socket = connect({ host: '127.0.0.1', port, noDelay: true })
      .on('data', (bytes) => this.read(bytes))
      .on('error', (error) => this.waiting?.reject(error))
      .on('close', () => this.waiting?.reject(new Error('the server closed a connection that was in use')));
  }

  /** Sends a request without a body, or with a form. */
  send(
    method: string,
    path: string,
    headers: string[],
    fields?: Record<string, string>,
  ): Promise<RawResponse> {
    const form = fields && new URLSearchParams(fields).toString();
    const lines = [
      `${method} ${path} HTTP/1.1`,
      'Host: 127.0.0.1',
      ...headers,
      ...(form ? ['Content-Type: application/x-www-form-urlencoded', `Content-Length: ${form.length}`] : []),
      '',
      form ?? '',
    ];
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      this.socket.write(lines.join('\r\n'));
    });
  }

  close(): void {
    this.waiting = undefined;
    this.socket.destroy();
  }

  private read(bytes: Buffer): void {
    this.received.push(bytes);
    const all = this.received.length === 1 ? bytes : Buffer.concat(this.received);
    const headEnd = all.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const head = all.toString('latin1', 0, headEnd);
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
    const begin = headEnd + HEAD_END.length;
    if (all.length < begin + length) return;
    this.received = [];
    const body = all.toString('utf8', begin, begin + length);
    const { waiting } = this;
    this.waiting = undefined;
    waiting?.resolve({ status: Number(head.slice(9, 12)), head, body });
  }
}
