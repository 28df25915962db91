import type { Admission, Applicant } from '../platform/concurrency/admission.js';
import type { Claimed } from './claim.js';

// The concurrency grows by one with each response of a fast receiver, up to this limit. Starting with the maximum could
// overload the receiver.
const MAX_CONCURRENT = 16;
const MIN_CONCURRENT = 2;
const MAX_WAITING = 256;
/**
 * A full queue requests more deliveries only when it is down to this length, so that each claim returns many. For a
 * slow receiver, the length is half of MAX_WAITING_WHEN_SLOW instead.
 */
const SHORT = 64;
const MAX_WAITING_WHEN_SLOW = 4;
const SLOW_MS = 1_000;
/**
 * The queue of a fast receiver is filled with no more than can be sent in this time, because the lease of a delivery
 * runs while it waits.
 */
const QUEUE_MS = 4_000;
/** The weight of the latest response in the average response time. */
const LATEST_WEIGHT = 0.3;
/** Unless its receiver is slow, a queue is filled to at most this fraction of the free capacity of the process. */
const SHARE = 1 / 8;

/**
 * The maximum number of deliveries per claim for a subscription with an idle queue or a receiver of unknown speed. An
 * idle queue is filled with up to this many, even if the limits above allow fewer.
 */
export const FIRST_CLAIM = 16;

interface Parts {
  timeoutMs: number;
  /** Limits concurrent deliveries. All subscriptions of one app in one store share a limit. */
  admission: Admission;
  /** The store and app of this subscription, with their limit. */
  owner: Applicant;
  /** Sends a delivery and returns the response time. Never rejects. */
  send(claimed: Claimed): Promise<number>;
  /** Returns whether the lease still covers an attempt. */
  isInTime(claimed: Claimed): boolean;
  /** Called with deliveries that this process will not send. */
  release(claimed: Claimed[]): void;
  /** Called when a full queue has room again. */
  onRoom(): void;
}

/**
 * The claimed deliveries of one subscription, and what is known about the speed of its receiver. New: nothing is known,
 * and two deliveries are sent at a time. Fast: the average response takes less than a second; each response allows one
 * more at a time, up to sixteen. Slow: two at a time, and after each attempt at most four keep waiting here, so that
 * the backlog of a dead receiver stays in the database. If half the timeout is less than a second, that half is the
 * limit between fast and slow.
 */
export class ReceiverQueue {
  private waiting: Claimed[] = [];
  private sending = 0;
  private maxConcurrent = MIN_CONCURRENT;
  private averageMs: number | undefined;
  private isFull = false;
  private waitsForAdmission = false;
  private stopped = false;
  private readonly slowMs: number;

  constructor(private readonly parts: Parts) {
    this.slowMs = Math.min(SLOW_MS, parts.timeoutMs / 2);
  }

  get inFlight(): number {
    return this.sending;
  }

  get isIdle(): boolean {
    return this.sending === 0 && this.waiting.length === 0;
  }

  /** Returns how many deliveries to claim if the process has this much free capacity. */
  wanted(room: number): number {
    const longest = this.isSlow
      ? MAX_WAITING_WHEN_SLOW
      : Math.min(MAX_WAITING, this.sendableIn(QUEUE_MS), Math.floor(room * SHARE));
    const count = this.waiting.length;
    const wants = count < longest && !(this.isFull && count > this.short);
    this.isFull = !wants;
    return wants ? longest - count : 0;
  }

  add(claimed: Claimed[]): void {
    this.waiting.push(...claimed);
    this.fill();
  }

  /** Stops sending. Deliveries that are being sent are completed; waiting ones are returned. */
  stop(): Claimed[] {
    this.stopped = true;
    return this.waiting.splice(0);
  }

  /** Starts as many deliveries as the limits allow. With `isAdmitted`, one has already been admitted. */
  private fill(isAdmitted = false): void {
    const late: Claimed[] = [];
    let hasPlace = isAdmitted;
    while (!this.stopped && this.waiting.length > 0 && this.sending < this.maxConcurrent) {
      hasPlace ||= this.enter();
      if (!hasPlace) break;
      const next = this.waiting.shift() as Claimed;
      // With too little time left, the lease could end during the attempt, and another worker would send the delivery
      // too.
      if (!this.parts.isInTime(next)) {
        late.push(next);
        continue;
      }
      hasPlace = false;
      void this.send(next);
    }
    if (hasPlace) this.leave();
    if (late.length > 0) this.parts.release(late);
  }

  /** Returns whether `admission` admits another delivery. If not, `fill` is called as soon as it does. */
  private enter(): boolean {
    const { admission, owner } = this.parts;
    if (this.waitsForAdmission) return false;
    if (admission.tryEnter(owner)) return true;
    this.waitsForAdmission = true;
    void admission.wait(owner).then(() => {
      this.waitsForAdmission = false;
      this.fill(true);
    });
    return false;
  }

  private leave(): void {
    this.parts.admission.leave(this.parts.owner);
  }

  private async send(claimed: Claimed): Promise<void> {
    this.sending++;
    this.learn(await this.parts.send(claimed));
    this.sending--;
    this.leave();
    if (this.isSlow && this.waiting.length > MAX_WAITING_WHEN_SLOW)
      this.parts.release(this.waiting.splice(MAX_WAITING_WHEN_SLOW));
    this.fill();
    if (this.isFull && this.waiting.length <= this.short) this.parts.onRoom();
  }

  private learn(durationMs: number): void {
    const before = this.averageMs ?? 0;
    this.averageMs = before + (durationMs - before) * LATEST_WEIGHT;
    this.maxConcurrent = this.isSlow ? MIN_CONCURRENT : Math.min(this.maxConcurrent + 1, MAX_CONCURRENT);
  }

  private get short(): number {
    return this.isSlow ? MAX_WAITING_WHEN_SLOW / 2 : SHORT;
  }

  private get isSlow(): boolean {
    return this.averageMs !== undefined && this.averageMs >= this.slowMs;
  }

  private sendableIn(milliseconds: number): number {
    if (this.averageMs === undefined) return FIRST_CLAIM;
    return Math.floor((this.maxConcurrent * milliseconds) / Math.max(1, this.averageMs));
  }
}
