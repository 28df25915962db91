import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Seen {
  method: string;
  url: string;
  headers: Record<string, string | undefined>;
  body: string;
}

export type Script = (seen: Seen, response: ServerResponse, request: IncomingMessage) => void;

/**
 * A server that answers each request with the next script, and repeats the last script when there are no more. Used for
 * failures that are rare on a real server.
 */
export class ScriptedServer {
  readonly seen: Seen[] = [];

  private constructor(
    private readonly server: ReturnType<typeof createServer>,
    readonly url: string,
  ) {}

  static async open(...scripts: Script[]): Promise<ScriptedServer> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const scripted = new ScriptedServer(server, `http://127.0.0.1:${port}`);
    server.on('request', async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const { method = '', url = '' } = request;
      const headers = request.headers as Seen['headers'];
      const seen = { method, url, headers, body: Buffer.concat(chunks).toString() };
      scripted.seen.push(seen);
      const script = scripts[Math.min(scripted.seen.length, scripts.length) - 1]!;
      script(seen, response, request);
    });
    return scripted;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

export function answer(status: number, body: unknown = {}, headers: Record<string, string> = {}): Script {
  return (_seen, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
}

/** Returns a script that responds with an error in the format of the API. */
export function refuse(status: number, code: string, headers: Record<string, string> = {}): Script {
  const body = {
    error: `a sentence about ${code}`,
    code,
    requestId: 'request 1',
    docUrl: `https://docs/${code}`,
  };
  return answer(status, body, headers);
}

/** Closes the connection without a response. */
export const cut: Script = (_seen, _response, request) => request.socket.destroy();

/** Never responds. */
export const hang: Script = () => {};
