import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { Admission, type Applicant } from '../../../src/platform/db/admission.js';

const FOR_EVER = 2 ** 30;

interface Call {
  applicant: Applicant;
  isAdmitted: boolean;
}

/** Drives an admission and keeps the books that its claims are checked against. */
class Drive {
  readonly admission: Admission;
  readonly held: Call[] = [];
  readonly waiting: Call[] = [];

  constructor(
    readonly total: number,
    readonly limit: number,
    readonly groupLimits: Record<string, number>,
  ) {
    this.admission = new Admission(total, groupLimits);
  }

  async enter(key: string): Promise<void> {
    const call: Call = {
      applicant: { key, limit: this.limit, group: key < 'c' ? 'limited' : 'free' },
      isAdmitted: false,
    };
    const turn = this.admission.enter(call.applicant, FOR_EVER);
    if (!turn) {
      this.held.push(call);
      return;
    }
    this.waiting.push(call);
    void turn.then(() => {
      // The first of its key that waits: callers of one key are admitted in the order in which they asked.
      expect(this.waiting.find(({ applicant }) => applicant.key === key)).toBe(call);
      this.waiting.splice(this.waiting.indexOf(call), 1);
      this.held.push(call);
    });
  }

  async leave(index: number): Promise<void> {
    const [call] = this.held.splice(index % this.held.length, 1);
    if (call) this.admission.leave(call.applicant);
    await new Promise(setImmediate);
  }

  count(calls: Call[], by: (applicant: Applicant) => boolean): number {
    return calls.filter(({ applicant }) => by(applicant)).length;
  }

  check(): void {
    expect(this.held.length).toBeLessThanOrEqual(this.total);
    for (const [group, limit] of Object.entries(this.groupLimits))
      expect(this.count(this.held, (applicant) => applicant.group === group)).toBeLessThanOrEqual(limit);
    for (const { applicant } of this.held)
      expect(this.count(this.held, ({ key }) => key === applicant.key)).toBeLessThanOrEqual(this.limit);
    this.checkOnlyForItself();
  }

  /** A key that holds nothing waits only while nothing is free, or while its group is at its limit. */
  private checkOnlyForItself(): void {
    if (this.held.length === this.total) return;
    for (const { applicant } of this.waiting) {
      const { key, group } = applicant;
      const limit = this.groupLimits[group] ?? this.total;
      const isFull = this.count(this.held, (other) => other.group === group) >= limit;
      expect(isFull || this.count(this.held, (other) => other.key === key) > 0).toBe(true);
    }
  }
}

const step = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('a', 'b', 'c', 'd', 'e') },
  { weight: 2, arbitrary: fc.nat(20) },
);

test('never exceeds a limit, is first come first served within a key, and starves no key', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 1, max: 4 }),
      fc.array(step, { maxLength: 60 }),
      async (total, most, limited, steps) => {
        const drive = new Drive(total, most, { limited });
        for (const each of steps) {
          if (typeof each === 'string') await drive.enter(each);
          else if (drive.held.length > 0) await drive.leave(each);
          drive.check();
        }
        // Whoever waits is admitted once those who were in front have left.
        for (let round = 0; drive.held.length > 0; round++) {
          await drive.leave(0);
          drive.check();
          expect(round).toBeLessThan(steps.length);
        }
        expect(drive.waiting).toEqual([]);
        expect(drive.admission.waiting).toBe(0);
      },
    ),
    { numRuns: 300 },
  );
});

test('admits keys by turns, however many calls one of them has waiting', async () => {
  const drive = new Drive(1, 1, {});
  for (const key of ['c', 'c', 'c', 'c', 'd', 'e']) await drive.enter(key);
  const admitted: string[] = [];
  while (drive.held.length > 0) {
    admitted.push(drive.held[0]!.applicant.key);
    await drive.leave(0);
  }
  expect(admitted).toEqual(['c', 'c', 'd', 'e', 'c', 'c']);
});

test('keeps the last places for keys that hold nothing', async () => {
  const drive = new Drive(6, 4, {});
  for (const key of ['c', 'c', 'c', 'c', 'd', 'd', 'e']) await drive.enter(key);
  expect(drive.held.map(({ applicant }) => applicant.key)).toEqual(['c', 'c', 'c', 'd', 'd', 'e']);
});

afterEach(() => void vi.useRealTimers());

test('a caller that has waited too long is rejected, and those behind it keep their places', async () => {
  vi.useFakeTimers();
  const admission = new Admission(2);
  const applicant = { key: 'a', limit: 1, group: '' };
  expect(admission.enter(applicant, 100)).toBeUndefined();
  const impatient = expect(admission.enter(applicant, 100)).rejects.toThrow('waited 100 ms');
  const patient = admission.enter(applicant, 1_000);
  await vi.advanceTimersByTimeAsync(100);
  await impatient;
  expect(admission.waiting).toBe(1);
  admission.leave(applicant);
  await patient;
  expect([admission.waiting, admission.heldBy('a')]).toEqual([0, 1]);
});
