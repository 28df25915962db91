import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';
import { prepareLocation } from './location.js';
import { isAlive, readPostmaster } from './postmaster.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './start.js';

const CHECK_EVERY_MS = 500;
/** When PostgreSQL has run for longer than this, earlier restarts no longer count towards MAX_FAILURES. */
const STABLE_MS = 60_000;
const MAX_FAILURES = 5;
const MAX_PAUSE_MS = 8_000;

/**
 * Restarts the embedded PostgreSQL when it has exited, for example because memory or disk space ran out. Any number
 * of processes may supervise the same server: one of them restarts it, and the others use the restarted server.
 */
export class Supervisor {
  private restarts = 0;
  /** Resolves after too many restarts in a row, or if PostgreSQL was restarted at another address. */
  readonly gaveUp: Promise<void>;
  private giveUp: () => void = () => {};
  private failures = 0;
  private startedAt: number;
  private pid: number | undefined;
  private readonly stopping = new AbortController();
  private readonly watching: Promise<void>;

  constructor(
    private readonly folder: string,
    private embedded: EmbeddedPostgres,
    private readonly log: Logger,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.startedAt = now();
    this.gaveUp = new Promise((resolve) => {
      this.giveUp = resolve;
    });
    this.pid = readPostmaster(prepareLocation(folder))?.pid;
    this.watching = this.watch();
  }

  measure(registry: Registry): void {
    const supervisor = this;
    new Counter({
      name: 'feira_embedded_postgres_restarts_total',
      help: 'Restarts of the embedded PostgreSQL seen by this process',
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
      if (this.pid !== undefined && isAlive(this.pid)) {
        if (this.now() - this.startedAt > STABLE_MS) this.failures = 0;
        await this.pause(CHECK_EVERY_MS);
      } else if (!(await this.restart())) return;
    }
  }

  /** Returns false if no further restart is to be attempted. */
  private async restart(): Promise<boolean> {
    if (this.failures > 0) await this.pause(Math.min(MAX_PAUSE_MS, 500 * 2 ** (this.failures - 1)));
    if (this.stopping.signal.aborted) return false;
    this.failures++;
    this.log.error({ pid: this.pid, attempt: this.failures }, 'PostgreSQL exited; restarting it');
    try {
      const next = await startEmbeddedPostgres({ folder: this.folder });
      const addressChanged = next.connection.host !== this.embedded.connection.host;
      await this.embedded.close();
      this.embedded = next;
      this.pid = readPostmaster(prepareLocation(this.folder))?.pid;
      this.startedAt = this.now();
      // If the data folder has a long path, the socket is in a new temporary folder, and open pools cannot reconnect
      // to it.
      if (addressChanged) return this.end('PostgreSQL was restarted at another address. Restart Feira');
      this.restarts++;
      this.log.info({ pid: this.pid }, 'PostgreSQL was restarted');
    } catch (error) {
      this.log.error({ err: error }, 'PostgreSQL could not be started');
    }
    if (this.failures < MAX_FAILURES) return true;
    return this.end(
      `PostgreSQL in ${this.folder} exited or failed to start ${MAX_FAILURES} times in a row. See postgres.log next to its data for the reason, make sure that there is enough disk space and memory, and restart Feira`,
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
