import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { StoreAccess } from '../platform/db/share.js';
import { type Statement, sql } from '../platform/db/sql.js';
import { isMissingPartition } from '../platform/db/sql-state.js';
import { DELIVERY_CHANNEL } from './channels.js';
import { beginEpoch, type Head, readHead } from './epochs.js';
import { addPartitions } from './retention.js';
import { STEP, type StepResult, stepForAll, stepForStore } from './step.js';

const IDLE_MS = 1_000;
const RETRY_MS = 500;
/** The pause before the next step if another sequencer is numbering the events of some stores. */
const TURN_MS = 20;
/**
 * A step takes almost the same CPU time for one event as for fifty. After a step with at least BUSY_EVENTS but fewer
 * than STEP events, the sequencer therefore pauses for three times the duration of that step, but at most 25 ms, so
 * that the next step finds more events. Without the pause, steps of about ten events reduced the throughput of stock
 * writes by a fifth.
 */
const BUSY_EVENTS = 8;
const PAUSE_FACTOR = 3;
const MAX_PAUSE_MS = 25;

/**
 * Numbers the committed events of a store, so that readers see them even if no worker is running. The workers are
 * notified of the deliveries that this adds, because they no longer find these events in the outbox.
 */
async function sequenceStore(db: StoreAccess, workspaceId: string): Promise<void> {
  for (;;) {
    const { moved, deliveries } = await takeStep(db, stepForStore(workspaceId));
    if (deliveries > 0) await notifyDispatchers(db);
    if (moved < STEP) return;
  }
}

/** An error is ignored, because the events are already numbered and the dispatchers also poll. */
async function notifyDispatchers(db: StoreAccess): Promise<void> {
  await db.autocommit.query(sql`select pg_notify(${DELIVERY_CHANNEL}, '')`).catch(() => {});
}

/**
 * Returns the last event number and the last order change number of a store, and the current epoch, after numbering all
 * events committed before the call.
 */
export async function settledHead(db: StoreAccess, workspaceId: string): Promise<Head> {
  const head = await readHead(db, workspaceId);
  if (!head.waiting) return head;
  await sequenceStore(db, workspaceId);
  return readHead(db, workspaceId);
}

/**
 * Numbers the events of all stores, every second and whenever it is woken. Several sequencers may run at the same time.
 */
export class Sequencer {
  private stopping = false;
  private awake = false;
  private wakeUp: (() => void) | undefined;
  private loop: Promise<void> | undefined;

  /** `onDeliveries` is called whenever a step has added deliveries. */
  constructor(
    private readonly db: StoreAccess,
    private readonly log: Logger,
    private readonly onDeliveries: () => void,
  ) {}

  start(): void {
    this.loop = this.run();
  }

  get isRunning(): boolean {
    return this.loop !== undefined && !this.stopping;
  }

  wake(): void {
    this.awake = true;
    this.wakeUp?.();
  }

  async stop(): Promise<void> {
    this.stopping = true;
    this.wake();
    await this.loop;
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      this.awake = false;
      try {
        const begun = performance.now();
        const { moved, deliveries, left } = await takeStep(this.db, stepForAll);
        if (deliveries > 0) this.onDeliveries();
        if (moved === STEP) continue;
        if (moved >= BUSY_EVENTS)
          await delay(Math.min(MAX_PAUSE_MS, PAUSE_FACTOR * (performance.now() - begun)));
        else if (left) await delay(TURN_MS);
        else if (!this.awake) await this.sleep(IDLE_MS);
      } catch (error) {
        this.log.error({ err: error }, 'sequencing events failed');
        await this.sleep(RETRY_MS);
      }
    }
  }

  private sleep(milliseconds: number): Promise<void> {
    if (this.stopping) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.wakeUp = undefined;
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      this.wakeUp = done;
    });
  }
}

async function takeStep(db: StoreAccess, step: Statement): Promise<StepResult> {
  for (;;) {
    const result = await db.autocommit
      .query<StepResult>(step)
      .then(([row]) => row as StepResult)
      .catch(async (error: unknown) => {
        // The partitions of this week are missing if no worker has run for weeks.
        if (!isMissingPartition(error)) throw error;
        await addPartitions(db);
        return undefined;
      });
    if (result?.epochMissing) await beginEpoch(db);
    else if (result?.headsMissing) await addHeads(db);
    else if (result) return result;
  }
}

async function addHeads(db: StoreAccess): Promise<void> {
  await db.autocommit.query(sql`
    insert into event_heads (workspace_id) select distinct workspace_id from outbox order by workspace_id
    on conflict do nothing`);
}
