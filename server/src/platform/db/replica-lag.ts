interface Reached {
  at: number;
  position: number;
}

/**
 * One position is recorded per second. A replica that is more than two minutes behind is reported as further behind
 * than it is, because older positions are forgotten.
 */
const MAX_POSITIONS = 120;

/**
 * How far a replica is behind. Positions in the write-ahead log of the primary are recorded with their time; the
 * replica contains everything that was committed before the time of the newest position that it has replayed. Unlike
 * the age of pg_last_xact_replay_timestamp(), this lag does not grow while nothing is written.
 */
export class ReplicaLag {
  private reached: Reached[] = [];
  private currentUntil = Number.NEGATIVE_INFINITY;

  /** `at` must be a time before the position was read. */
  primaryReached(position: number, at: number): void {
    // After a failover the log of the new primary may end before that of the old one.
    if (position < (this.reached.at(-1)?.position ?? 0)) this.reached = [];
    this.reached.push({ at, position });
    if (this.reached.length > MAX_POSITIONS) this.reached.shift();
  }

  replicaReached(position: number): void {
    for (let first = this.reached[0]; first && first.position <= position; first = this.reached[0]) {
      this.currentUntil = first.at;
      this.reached.shift();
    }
  }

  /**
   * Returns an upper bound for the lag: every commit older than this is in the replica. Returns Infinity until the
   * replica has reached a recorded position.
   */
  atMostMs(now: number): number {
    return now - this.currentUntil;
  }
}
