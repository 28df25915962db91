import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';
import { preparePlace } from './place.js';
import { isAlive, readPostmaster } from './postmaster.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './start.js';

const LOOK_MS = 500;
/** A PostgreSQL that ends sooner than this after its start counts as a failed start. */
const STABLE_MS = 60_000;
const MOST_FAILURES = 5;
const LONGEST_PAUSE_MS = 8_000;

/**
 * Restarts the embedded PostgreSQL when it has ended: killed for lack of memory, or because its disk was full. Any
 * number of processes may supervise the same one: each joins the PostgreSQL that the first of them starts.
 */
export class Supervisor {
  private restarts = 0;
  /** Resolves when it does not make sense to go on. */
  readonly gaveUp: Promise<void>;
  private giveUp: () => void = () => {};
  private failures = 0;
  private startedAt = performance.now();
  private pid: number | undefined;
  private readonly stopping = new AbortController();
  private readonly watching: Promise<void>;

  constructor(
    private readonly folder: string,
    private embedded: EmbeddedPostgres,
    private readonly log: Logger,
  ) {
    this.gaveUp = new Promise((resolve) => {
      this.giveUp = resolve;
    });
    this.pid = readPostmaster(preparePlace(folder))?.pid;
    this.watching = this.watch();
  }

  measure(registry: Registry): void {
    const supervisor = this;
    new Counter({
      name: 'feira_embedded_postgres_restarts_total',
      help: 'How often this process has seen the embedded PostgreSQL end and run again',
      registers: [registry],
      collect() {
        this.reset();
        this.inc(supervisor.restarts);
      },
    });
  }

  async close(): Promise<void> {
    this.stopping.abort();
    await this.watching;
    await this.embedded.close();
  }

  private async watch(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      if (this.pid !== undefined && isAlive(this.pid)) await this.pause(LOOK_MS);
      else if (!(await this.restart())) return;
    }
  }

  /** False when it gives up. */
  private async restart(): Promise<boolean> {
    if (performance.now() - this.startedAt > STABLE_MS) this.failures = 0;
    if (this.failures > 0) await this.pause(Math.min(LONGEST_PAUSE_MS, 500 * 2 ** (this.failures - 1)));
    if (this.stopping.signal.aborted) return false;
    this.failures++;
    this.log.error({ pid: this.pid, tries: this.failures }, 'PostgreSQL has ended; starting it again');
    try {
      const next = await startEmbeddedPostgres({ folder: this.folder });
      const isElsewhere = next.connection.host !== this.embedded.connection.host;
      await this.embedded.close();
      this.embedded = next;
      this.pid = readPostmaster(preparePlace(this.folder))?.pid;
      this.startedAt = performance.now();
      // The socket of a folder with a long path is in a new temporary folder, which open connections cannot know.
      if (isElsewhere) return this.end('PostgreSQL is running again at another address; start Feira again');
      this.restarts++;
      this.log.info({ pid: this.pid }, 'PostgreSQL is running again');
    } catch (error) {
      this.log.error({ err: error }, 'PostgreSQL could not be started');
    }
    if (this.failures < MOST_FAILURES) return true;
    return this.end(
      `PostgreSQL in ${this.folder} has ended ${MOST_FAILURES} times in a row. See postgres.log beside its data, free disk space or memory, and start Feira again`,
    );
  }

  private async pause(milliseconds: number): Promise<void> {
    await delay(milliseconds, undefined, { signal: this.stopping.signal }).catch(() => {});
  }

  private end(reason: string): false {
    this.log.fatal(reason);
    this.giveUp();
    return false;
  }
}
