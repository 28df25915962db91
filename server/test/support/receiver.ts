import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deliveryFault } from './check-answers.js';

export interface Received {
  path: string;
  headers: Record<string, string>;
  body: string;
}

type Answering = (request: Received, response: ServerResponse, raw: IncomingMessage) => void;

/** A webhook receiver on a real socket. It records requests and responds as configured. */
export class Receiver {
  readonly received: Received[] = [];
  /** The number of open connections, and the largest number that were open at the same time. */
  sockets = 0;
  mostSockets = 0;
  answer: Answering = (_request, response) => void response.writeHead(204).end();

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async open(): Promise<Receiver> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const receiver = new Receiver(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('connection', (socket) => {
      receiver.sockets++;
      receiver.mostSockets = Math.max(receiver.mostSockets, receiver.sockets);
      socket.on('close', () => receiver.sockets--);
    });
    server.on('request', (raw, response) => {
      const chunks: Buffer[] = [];
      raw.on('error', () => {});
      raw.on('data', (chunk) => chunks.push(chunk));
      raw.on('end', () => {
        const request: Received = {
          path: raw.url ?? '',
          headers: raw.headers as Record<string, string>,
          body: Buffer.concat(chunks).toString('utf8'),
        };
        receiver.received.push(request);
        if (request.headers['x-service-event'] !== undefined) receiver.check(request.body);
        receiver.answer(request, response, raw);
      });
    });
    return receiver;
  }

  /** Returns the parsed bodies of all deliveries, or of those with this event name. */
  bodies(event?: string): { event: string; workspaceId: string; data: Record<string, unknown> }[] {
    return this.received
      .map(({ body }) => JSON.parse(body))
      .filter((body) => event === undefined || body.event === event);
  }

  /** Closes the receiver. Fails if a delivery did not match openapi.json. */
  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
    if (this.faults.length > 0) throw new Error(this.faults.join('\n'));
  }

  private readonly faults: string[] = [];

  private check(body: string): void {
    const fault = deliveryFault(body);
    if (fault) this.faults.push(fault);
  }
}
