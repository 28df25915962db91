import type { Clock } from '../platform/clock.js';
import { UPLOAD_SECONDS } from './storage.js';

/** Enough to retry a broken upload or replace a wrong file, but not to keep writing until the URL expires. */
const MAX_ATTEMPTS = 10;

/**
 * Counts the uploads to each signed URL until it expires. Each process counts on its own, which is sufficient because
 * local storage is used by one process, or by a few on one machine.
 */
export class UploadAttempts {
  /** Ordered by first attempt, so that expired entries are at the front. */
  private readonly counts = new Map<string, { count: number; expires: number }>();

  constructor(private readonly clock: Clock) {}

  /** Returns false if the URL has been used too often. */
  count(key: string): boolean {
    const now = this.clock.now();
    for (const [old, { expires }] of this.counts) {
      if (expires > now) break;
      this.counts.delete(old);
    }
    const attempts = this.counts.get(key) ?? { count: 0, expires: now + UPLOAD_SECONDS * 1000 };
    attempts.count++;
    this.counts.set(key, attempts);
    return attempts.count <= MAX_ATTEMPTS;
  }
}
