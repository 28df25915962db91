import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock } from '../platform/clock.js';
import type { Seal } from '../platform/crypto/seal.js';
import type { Share } from '../platform/db.js';
import type { Outbound } from '../platform/outbound/post.js';
import { attempt } from './attempt.js';
import type { Backoff } from './backoff.js';
import { Batches } from './batches.js';
import { type Claimed, claimDue, dueIn, type PutBack, putBack } from './claim.js';
import { Lane } from './lane.js';
import { type Finished, recordFinished } from './record.js';

export interface DispatcherParts {
  db: Share;
  clock: Clock;
  log: Logger;
  outbound: Outbound;
  seal: Seal;
  backoff: Backoff;
  timeoutMs: number;
}

const BATCH = 250;
const MOST_CLAIMED = 4_000;
/** Of these, what only receivers that answer quickly may use. */
const RESERVED = 1_000;
const MOST_LANES = 10_000;
const IDLE_MS = 1_000;
const SHORT_REST_MS = 100;
const RETRY_AFTER_ERROR_MS = 500;
const APART_MS = 1_000;
/** More than it takes, on a bad day, to write down what became of an attempt. */
const RECORDING_MS = 4_000;

/** Claims what is due, sends it, writes down what became of it. Any number may run against one database. */
export class Dispatcher {
  /** Since the process began. */
  readonly counts = { delivered: 0, failed: 0 };
  private readonly lanes = new Map<string, Lane>();
  private readonly records = new Batches<Finished>(BATCH, (batch) => this.record(batch));
  private readonly returns = new Batches<PutBack>(BATCH, (batch) => this.putBack(batch));
  private claimed = 0;
  private stopping = false;
  private awake = false;
  private wakeUp: (() => void) | undefined;
  private loop: Promise<void> | undefined;
  private readonly leaseMs: number;

  constructor(private readonly parts: DispatcherParts) {
    // A slow lane waits for two rounds of its slots before an attempt begins; a lease must outlast that, the attempt and
    // its recording.
    this.leaseMs = 3 * parts.timeoutMs + RECORDING_MS + 2_000;
  }

  start(): void {
    this.loop = this.run();
  }

  /** There may be something to do. */
  wake(): void {
    this.awake = true;
    this.wakeUp?.();
  }

  get inFlight(): number {
    let sum = 0;
    for (const lane of this.lanes.values()) sum += lane.inFlight;
    return sum;
  }

  /** What is being sent is finished and recorded; what was only claimed is given back. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.wake();
    await this.loop;
    const queued = [...this.lanes.values()].flatMap((lane) => lane.queue.splice(0));
    this.giveBack(queued.map((claimed) => ({ claimed, inMs: 0 })));
    while (this.claimed > 0) {
      await new Promise<void>((resolve) => {
        this.wakeUp = resolve;
      });
    }
    await this.returns.idle();
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      this.awake = false;
      try {
        const most = Math.min(BATCH, this.room);
        const found = most > 0 ? await this.takeWork(most) : 0;
        if (found < most || most <= 0) await this.rest();
      } catch (error) {
        this.parts.log.error({ err: error }, 'looking for deliveries failed');
        await this.sleep(RETRY_AFTER_ERROR_MS);
      }
    }
  }

  private async takeWork(most: number): Promise<number> {
    const { db, clock } = this.parts;
    const full: string[] = [];
    const slow: { webhookId: string; putOffMs: number }[] = [];
    for (const [webhookId, lane] of this.lanes) {
      lane.starved = !lane.isSlow && !lane.isIdle && !lane.wantsMore(this.room);
      if (lane.starved) full.push(webhookId);
      if (lane.isSlowAndFull) slow.push({ webhookId, putOffMs: lane.putOffMs(clock.now()) });
    }
    const found = await claimDue(db, clock.now(), this.leaseMs, most, { full, slow });
    const work = found.filter(({ isPutOff }) => !isPutOff);
    this.claimed += work.length;
    const noRoom: Claimed[] = [];
    for (const claimed of work) {
      const lane = this.laneOf(claimed.webhookId);
      if (!claimed.live) this.records.add([{ claimed, at: undefined, result: undefined }]);
      else if (this.hasRoomFor(lane)) lane.queue.push(claimed);
      else noRoom.push(claimed);
    }
    for (const lane of new Set(work.map(({ webhookId }) => this.laneOf(webhookId)))) this.fill(lane);
    this.putOff(noRoom);
    return found.length;
  }

  private fill(lane: Lane): void {
    const tooLate: PutBack[] = [];
    while (lane.hasSlot && !this.stopping) {
      const next = lane.queue.shift();
      if (!next) break;
      if (this.parts.clock.now() > next.leaseEndsAt - this.parts.timeoutMs - RECORDING_MS) {
        // Another worker may take it any moment; it must not be under way here then.
        tooLate.push({ claimed: next, inMs: 0 });
        continue;
      }
      lane.inFlight++;
      void this.send(lane, next);
    }
    this.giveBack(tooLate);
  }

  private async send(lane: Lane, claimed: Claimed): Promise<void> {
    const { clock, log, timeoutMs } = this.parts;
    const at = clock.now();
    let hung = false;
    try {
      const message = {
        id: claimed.eventId,
        event: claimed.event,
        sequence: claimed.sequence,
        origin: claimed.origin,
        workspaceId: claimed.workspaceId,
        data: claimed.data,
      };
      const result = await attempt(this.parts, claimed, message, claimed.attempts + 1);
      lane.answered(result.durationMs, clock.now());
      hung = result.durationMs >= timeoutMs / 2;
      this.records.add([{ claimed, at, result }]);
    } catch (error) {
      // Ours, not the receiver's: the lease runs out and the delivery is taken again.
      log.error({ err: error, deliveryId: claimed.id }, 'delivery failed on our side');
      this.claimed--;
      this.wakeUp?.();
    }
    this.putOff(lane.surplus());
    // Receivers that hang were often called in the same moment; apart, they disturb the others less when they time out.
    if (hung && lane.isSlow && !this.stopping)
      await delay(Math.random() * APART_MS, undefined, { ref: false });
    lane.inFlight--;
    this.fill(lane);
    if (lane.starved && this.room >= BATCH && lane.wantsMore(this.room)) this.wake();
  }

  /** What is not recorded is sent again when its lease runs out: so it is tried for about as long as a lease lasts. */
  private async record(batch: Finished[]): Promise<void> {
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
    this.claimed -= batch.length;
    this.wakeUp?.();
  }

  private putOff(claimed: Claimed[]): void {
    const now = this.parts.clock.now();
    const inMs = (each: Claimed) => this.laneOf(each.webhookId).putOffMs(now) * (0.5 + Math.random() / 2);
    this.giveBack(claimed.map((each) => ({ claimed: each, inMs: inMs(each) })));
  }

  private giveBack(entries: PutBack[]): void {
    this.claimed -= entries.length;
    this.returns.add(entries);
  }

  /** A lease that is not given back runs out. */
  private async putBack(batch: PutBack[]): Promise<void> {
    const { db, clock, log } = this.parts;
    await putBack(db, clock.now(), batch).catch((error: unknown) =>
      log.error({ err: error, deliveries: batch.length }, 'giving back deliveries failed'),
    );
  }

  private laneOf(webhookId: string): Lane {
    let lane = this.lanes.get(webhookId);
    if (!lane) {
      if (this.lanes.size >= MOST_LANES) this.forgetLane();
      lane = new Lane(this.parts.timeoutMs);
      this.lanes.set(webhookId, lane);
    }
    return lane;
  }

  /** Idle lanes are kept for what they know of their receivers. */
  private forgetLane(): void {
    for (const [webhookId, lane] of this.lanes) {
      if (lane.isIdle) {
        this.lanes.delete(webhookId);
        return;
      }
    }
  }

  private get room(): number {
    return MOST_CLAIMED - this.claimed;
  }

  /** What was claimed is kept if it can be: giving it back and taking it again costs as much as recording it. */
  private hasRoomFor(lane: Lane): boolean {
    if (lane.isSlowAndFull) return false;
    return lane.isQuick || lane.isIdle || this.room > RESERVED;
  }

  /** Until something is due, a wake-up comes, or a second has passed. */
  private async rest(): Promise<void> {
    if (this.awake || this.stopping) return;
    const due = await dueIn(this.parts.db, this.parts.clock.now());
    // What is due now and was not taken waits for room here, which wakes us, or is being taken elsewhere.
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
