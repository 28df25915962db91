import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { databaseEnv } from './database.js';
import { type Feira, openFeira, type StoreClient, TEST_SECRET } from './feira.js';
import { type CommandProcess, hasExited, startCommand, temporaryFolder, until } from './process.js';
import { Receiver } from './receiver.js';

interface FeedEvent {
  id: string;
  sequence: number;
  event: string;
  origin: string;
  data: unknown;
}

/**
 * The setup that the tests of `feira listen` share: a store, a receiver, and listeners that are stopped after each
 * test.
 */
export class Listening {
  env!: Record<string, string>;
  store!: StoreClient;
  receiver!: Receiver;
  private feira!: Feira;
  private readonly listeners = new Set<CommandProcess>();

  /** Registers the hooks that open the server and close everything. */
  constructor() {
    const folder = temporaryFolder();
    beforeAll(async () => {
      this.feira = await openFeira();
      this.env = { ...databaseEnv(this.feira.connection, TEST_SECRET), FEIRA_DATA: folder.path };
    });
    afterAll(async () => {
      await this.feira.close();
      folder.remove();
    });
    beforeEach(async () => {
      this.receiver = await Receiver.open();
      this.store = await this.feira.store();
    });
    afterEach(async () => {
      for (const listener of this.listeners) await listener.stop('SIGKILL');
      this.listeners.clear();
      await this.receiver.close();
    });
  }

  /** Starts a listener and waits until it has printed its secret. From then on it misses no event. */
  async listen(...more: string[]): Promise<CommandProcess & { secret: string }> {
    const { workspaceId, clientId } = this.store;
    const options = ['--store', workspaceId, '--client-id', clientId, '--forward-to', this.receiver.url];
    const listener = startCommand(['listen', ...options, ...more], this.env);
    this.listeners.add(listener);
    const printed = /whsec_[A-Za-z0-9+/=]+/;
    await until(() => {
      if (hasExited(listener.child)) throw new Error(`listen ended:\n${listener.output()}`);
      return printed.test(listener.output());
    });
    return { ...listener, secret: printed.exec(listener.output())![0] };
  }

  receivedIds(): string[] {
    return this.receiver.received.map(({ headers }) => headers['x-service-delivery']!);
  }

  async feed(): Promise<FeedEvent[]> {
    const events: FeedEvent[] = [];
    for (let after = ''; ; ) {
      const { data, meta } = (await this.store.get(`/events?limit=100${after && `&after=${after}`}`)).body;
      events.push(...data);
      if (!meta.hasMore) return events;
      after = meta.nextCursor;
    }
  }
}
