import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock } from '../platform/clock.js';
import { Admission } from '../platform/concurrency/admission.js';
import { Batcher } from '../platform/concurrency/batcher.js';
import type { Seal } from '../platform/crypto/seal.js';
import type { Share } from '../platform/db/share.js';
import type { Outbound } from '../platform/outbound/post.js';
import { attempt } from './attempt.js';
import type { Backoff } from './backoff.js';
import { type Claimed, claimDue, dueIn, releaseLeases } from './claim.js';
import { FIRST_CLAIM, ReceiverQueue } from './receiver-queue.js';
import { type Finished, recordFinished } from './record.js';

interface DispatcherParts {
  db: Share;
  clock: Clock;
  log: Logger;
  outbound: Outbound;
  seal: Pick<Seal, 'open'>;
  backoff: Backoff;
  timeoutMs: number;
}

const BATCH = 250;
const MAX_CLAIMED = 4_000;
const MAX_QUEUES = 10_000;
/**
 * The maximum number of concurrent deliveries of one process per store and app. The process opens up to four times as
 * many connections to one host, so one app in one store cannot use all connections to a shared host.
 */
const MAX_PER_OWNER = 64;
const IDLE_MS = 1_000;
const SHORT_REST_MS = 100;
const RETRY_AFTER_ERROR_MS = 500;
/** The part of each lease that is reserved for recording the attempt. It is sufficient even for a slow database. */
const RECORDING_MS = 4_000;

/**
 * Claims due deliveries, adds them to the queue of their subscription, and records the results. Several dispatchers
 * may share a database.
 *
 * Claiming a delivery starts its lease. The delivery then waits in a ReceiverQueue, is sent, and is recorded as
 * delivered, as pending with a later time, or as failed. Problems before sending (a disconnected app, a secret that
 * cannot be decrypted) are recorded too. If recording keeps failing, the delivery is due again when its lease ends.
 * When the process stops or a receiver becomes slow, unused leases are released.
 */
export class Dispatcher {
  /** How many deliveries this process has recorded as delivered or as failed since it started. */
  readonly counts = { delivered: 0, failed: 0 };
  private readonly queues = new Map<string, ReceiverQueue>();
  private readonly admission = new Admission({});
  // Only one batch is written at a time. Meanwhile results accumulate for the next one, so batches grow with the load.
  private readonly records = new Batcher(1, BATCH, (batch: Finished[]) => this.record(batch), 'never');
  private readonly releases = new Batcher(1, BATCH, (batch: Claimed[]) => this.release(batch), 'never');
  /** The number of deliveries whose lease this process holds. */
  private claimed = 0;
  private stopping = false;
  private awake = false;
  private wakeUp: (() => void) | undefined;
  private loop: Promise<void> | undefined;
  private readonly leaseMs: number;

  constructor(private readonly parts: DispatcherParts) {
    // In a slow queue, a delivery may wait for two rounds of attempts before its own attempt starts. The lease must
    // cover that wait, the attempt and its recording.
    this.leaseMs = 3 * parts.timeoutMs + RECORDING_MS + 2_000;
  }

  start(): void {
    this.loop = this.run();
  }

  /** Call this when deliveries may be due. */
  wake(): void {
    this.awake = true;
    this.wakeUp?.();
  }

  get inFlight(): number {
    let sum = 0;
    for (const queue of this.queues.values()) sum += queue.inFlight;
    return sum;
  }

  /** Completes and records the deliveries that are being sent, and releases those that were only claimed. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.wake();
    await this.loop;
    this.giveBack([...this.queues.values()].flatMap((queue) => queue.stop()));
    while (this.claimed > 0) {
      await new Promise<void>((resolve) => {
        this.wakeUp = resolve;
      });
    }
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      this.awake = false;
      try {
        const found = this.room > 0 ? await this.claim() : 0;
        if (found === 0) await this.rest();
      } catch (error) {
        this.parts.log.error({ err: error }, 'claiming deliveries failed');
        await this.sleep(RETRY_AFTER_ERROR_MS);
      }
    }
  }

  private async claim(): Promise<number> {
    const { db, clock } = this.parts;
    const max = Math.min(BATCH, this.room);
    const claimed = await claimDue(db, {
      now: clock.now(),
      leaseMs: this.leaseMs,
      max,
      maxPerOther: FIRST_CLAIM,
      wanted: this.wanted(),
    });
    this.claimed += claimed.length;
    const ofQueue = new Map<ReceiverQueue, Claimed[]>();
    for (const each of claimed) {
      if (!each.live) {
        void this.records.submit({ claimed: each, at: undefined, result: undefined });
        continue;
      }
      const queue = this.queueOf(each);
      const list = ofQueue.get(queue);
      if (list) list.push(each);
      else ofQueue.set(queue, [each]);
    }
    for (const [queue, list] of ofQueue) queue.add(list);
    return claimed.length;
  }

  private wanted(): { webhookId: string; max: number }[] {
    const { room } = this;
    return [...this.queues]
      .filter(([, queue]) => !queue.isIdle)
      .map(([webhookId, queue]) => ({ webhookId, max: queue.wanted(room) }));
  }

  /** Makes one attempt and returns the response time of the receiver. */
  private async send(claimed: Claimed): Promise<number> {
    const at = this.parts.clock.now();
    const { eventId: id, event, sequence, origin, workspaceId, data } = claimed;
    const message = { id, event, sequence, origin, workspaceId, data };
    const result = await attempt(this.parts, claimed, message, claimed.attempts + 1);
    void this.records.submit({ claimed, at, result });
    return result.durationMs;
  }

  /**
   * Records results. A delivery whose result is not recorded is sent again after its lease, so recording is retried for
   * about as long as a lease, unless the dispatcher is stopping. Never rejects.
   */
  private async record(batch: Finished[]): Promise<undefined[]> {
    const { db, clock, backoff, log } = this.parts;
    for (let spent = 0; spent <= this.leaseMs; spent += RETRY_AFTER_ERROR_MS) {
      try {
        const { delivered, failed } = await recordFinished(db, clock.now(), backoff, batch);
        this.counts.delivered += delivered;
        this.counts.failed += failed;
        break;
      } catch (error) {
        log.error({ err: error, deliveries: batch.length }, 'recording deliveries failed');
        if (this.stopping) break;
        await delay(RETRY_AFTER_ERROR_MS);
      }
    }
    return this.ended(batch);
  }

  private giveBack(claimed: Claimed[]): void {
    for (const each of claimed) void this.releases.submit(each);
  }

  /** Releases leases. A lease that cannot be released expires on its own. Never rejects. */
  private async release(batch: Claimed[]): Promise<undefined[]> {
    const { db, clock, log } = this.parts;
    await releaseLeases(db, clock.now(), batch).catch((error: unknown) =>
      log.error({ err: error, deliveries: batch.length }, 'releasing deliveries failed'),
    );
    return this.ended(batch);
  }

  /** Counts the leases of a batch as ended, and returns an empty list of results for the Batcher. */
  private ended(batch: unknown[]): undefined[] {
    this.claimed -= batch.length;
    this.wakeUp?.();
    return [];
  }

  private queueOf({ webhookId, workspaceId, clientId }: Claimed): ReceiverQueue {
    let queue = this.queues.get(webhookId);
    if (!queue) {
      if (this.queues.size >= MAX_QUEUES) forgetIdle(this.queues);
      queue = new ReceiverQueue({
        timeoutMs: this.parts.timeoutMs,
        admission: this.admission,
        owner: { key: `${workspaceId} ${clientId}`, limit: MAX_PER_OWNER },
        send: (claimed) => this.send(claimed),
        isInTime: ({ leaseEndsAt }) =>
          this.parts.clock.now() <= leaseEndsAt - this.parts.timeoutMs - RECORDING_MS,
        release: (claimed) => this.giveBack(claimed),
        onRoom: () => this.wake(),
      });
      this.queues.set(webhookId, queue);
    }
    return queue;
  }

  private get room(): number {
    return MAX_CLAIMED - this.claimed;
  }

  /** Waits until a delivery is due for a queue with room, `wake` is called, a lease ends, or a second has passed. */
  private async rest(): Promise<void> {
    if (this.awake || this.stopping) return;
    const full = this.wanted().flatMap(({ webhookId, max }) => (max === 0 ? [webhookId] : []));
    const due = this.room > 0 ? await dueIn(this.parts.db, this.parts.clock.now(), full) : undefined;
    // If a delivery is due but was not claimed, another process may be claiming it. The short rest avoids a busy loop.
    const wait = Math.min(IDLE_MS, Math.max(due ?? IDLE_MS, SHORT_REST_MS));
    if (!this.awake && !this.stopping) await this.sleep(wait);
  }

  private sleep(milliseconds: number): Promise<void> {
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

/** Removes one idle queue. The others are kept, because they have measured the speed of their receivers. */
function forgetIdle(queues: Map<string, ReceiverQueue>): void {
  for (const [webhookId, queue] of queues) {
    if (!queue.isIdle) continue;
    queues.delete(webhookId);
    return;
  }
}
