import { openFeira, type Feira as Server, type StoreClient } from '../../../server/test/support/feira.js';
import { freePort } from '../../../server/test/support/process.js';
import { Feira } from '../../src/client.js';
import type { FeiraOptions } from '../../src/options.js';

/** The real server on a socket, in this process, with a clock that tests can move. */
export interface LiveServer extends Server {
  url: string;
  /** Returns a client for a new store, and the store itself for assertions. */
  connect(
    options?: Partial<FeiraOptions>,
    store?: Parameters<Server['store']>[0],
  ): Promise<{ client: Feira; store: StoreClient }>;
}

export async function openLiveServer(): Promise<LiveServer> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = await openFeira({ publicUrl: url });
  await server.app.listen({ port, host: '127.0.0.1' });
  return {
    ...server,
    url,
    async connect(options = {}, settings = {}) {
      const store = await server.store(settings);
      return { client: new Feira({ baseUrl: url, token: store.token, ...options }), store };
    },
  };
}
