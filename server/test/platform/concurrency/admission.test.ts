import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { Admission, type Applicant, NotAdmitted } from '../../../src/platform/concurrency/admission.js';

interface Call {
  applicant: Applicant;
}

/** Uses an `Admission` and records which callers hold a place and which wait. */
class Drive {
  readonly admission: Admission;
  readonly held: Call[] = [];
  readonly waiting: Call[] = [];

  constructor(
    readonly total: number,
    readonly limit: number,
    readonly groupLimits: Record<string, number>,
  ) {
    this.admission = new Admission({ total, groups: groupLimits });
  }

  async enter(key: string): Promise<void> {
    const call: Call = {
      applicant: { key, limit: this.limit, group: key < 'c' ? 'limited' : 'free' },
    };
    if (this.admission.tryEnter(call.applicant)) {
      this.held.push(call);
      return;
    }
    this.waiting.push(call);
    void this.admission.wait(call.applicant).then(() => {
      // Callers of one key must be admitted in the order in which they asked.
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
    this.checkWaiting();
  }

  /** A key that holds no place may wait only if no place is free or its group is at its limit. */
  private checkWaiting(): void {
    if (this.held.length === this.total) return;
    for (const { applicant } of this.waiting) {
      const { key, group = '' } = applicant;
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

test('never exceeds a limit, admits the callers of one key in order, and starves no key', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 1, max: 4 }),
      fc.array(step, { maxLength: 60 }),
      async (total, limit, limited, steps) => {
        const drive = new Drive(total, limit, { limited });
        for (const each of steps) {
          if (typeof each === 'string') await drive.enter(each);
          else if (drive.held.length > 0) await drive.leave(each);
          drive.check();
        }
        // Every waiting caller must be admitted once those ahead of it have left.
        for (let round = 0; drive.held.length > 0; round++) {
          await drive.leave(0);
          drive.check();
          expect(round).toBeLessThan(steps.length);
        }
        expect(drive.waiting).toEqual([]);
      },
    ),
    { numRuns: 300 },
  );
});

test('admits keys in turn, however many calls one of them has waiting', async () => {
  const drive = new Drive(1, 1, {});
  for (const key of ['c', 'c', 'c', 'c', 'd', 'e']) await drive.enter(key);
  const admitted: string[] = [];
  while (drive.held.length > 0) {
    admitted.push(drive.held[0]!.applicant.key);
    await drive.leave(0);
  }
  expect(admitted).toEqual(['c', 'c', 'd', 'e', 'c', 'c']);
});

test('gives a key another place only if more places are free than the key holds', async () => {
  const drive = new Drive(6, 4, {});
  for (const key of ['c', 'c', 'c', 'c', 'd', 'd', 'e']) await drive.enter(key);
  expect(drive.held.map(({ applicant }) => applicant.key)).toEqual(['c', 'c', 'c', 'd', 'd', 'e']);
});

afterEach(() => void vi.useRealTimers());

test('rejects a caller that has waited too long, and keeps the callers behind it in the queue', async () => {
  vi.useFakeTimers();
  const admission = new Admission({ total: 2 });
  const applicant = { key: 'a', limit: 1 };
  expect(admission.tryEnter(applicant)).toBe(true);
  const impatient = expect(admission.wait(applicant, { waitMs: 100 })).rejects.toThrow(
    'not admitted within 100 ms',
  );
  const patient = admission.wait(applicant, { waitMs: 1_000 });
  await vi.advanceTimersByTimeAsync(100);
  await impatient;
  admission.leave(applicant);
  await patient;
  expect(admission.heldBy('a')).toBe(1);
  // The timer of an admitted caller must have no effect.
  await vi.advanceTimersByTimeAsync(2_000);
  expect(admission.heldBy('a')).toBe(1);
});

test('rejects a caller that finds the queue of its key full', async () => {
  const admission = new Admission({});
  const [a, b] = ['a', 'b'].map((key) => ({ key, limit: 1 })) as [Applicant, Applicant];
  for (const applicant of [a, b]) expect(admission.tryEnter(applicant)).toBe(true);
  const first = admission.wait(a, { maxWaiting: 1 });
  await expect(admission.wait(a, { maxWaiting: 1 })).rejects.toThrow(NotAdmitted);
  const other = admission.wait(b, { maxWaiting: 1 });
  admission.leave(a);
  admission.leave(b);
  await Promise.all([first, other]);
});

test('rejects a caller whose signal is already aborted', async () => {
  const admission = new Admission({});
  const applicant = { key: 'a', limit: 1 };
  admission.tryEnter(applicant);
  await expect(admission.wait(applicant, { signal: AbortSignal.abort() })).rejects.toThrow(NotAdmitted);
});

test('removes a caller from the queue when its signal is aborted', async () => {
  const admission = new Admission({});
  const applicant = { key: 'a', limit: 1 };
  admission.tryEnter(applicant);
  const leaver = new AbortController();
  const left = expect(admission.wait(applicant, { signal: leaver.signal })).rejects.toThrow(NotAdmitted);
  const next = admission.wait(applicant);
  leaver.abort();
  await left;
  admission.leave(applicant);
  await next;
  expect(admission.heldBy('a')).toBe(1);
});

test('admits urgent callers before others', async () => {
  const admission = new Admission({ groups: { '': 1 } });
  const admitted: string[] = [];
  const enter = (key: string, isUrgent: boolean) => {
    const applicant = { key, limit: 1, isUrgent };
    const note = () => void admitted.push(key);
    if (admission.tryEnter(applicant)) note();
    else void admission.wait(applicant, { maxWaiting: 1 }).then(note);
    return applicant;
  };
  const running = enter('running', false);
  const anyone = enter('anyone', false);
  const known = enter('known', true);
  for (const applicant of [running, known, anyone]) {
    admission.leave(applicant);
    await new Promise(setImmediate);
  }
  expect(admitted).toEqual(['running', 'known', 'anyone']);
});

test('admits no caller while it is closed; once it is open, admitWaiting admits the waiting callers', async () => {
  let isOpen = false;
  const admission = new Admission({ isOpen: () => isOpen });
  const applicant = { key: 'a', limit: 2 };
  expect(admission.tryEnter(applicant)).toBe(false);
  const waiting = [admission.wait(applicant), admission.wait(applicant)];
  admission.admitWaiting();
  expect(admission.heldBy('a')).toBe(0);
  isOpen = true;
  admission.admitWaiting();
  await Promise.all(waiting);
  expect(admission.heldBy('a')).toBe(2);
});

test('admits the next caller when the work of the current one fails', async () => {
  const admission = new Admission({});
  const applicant = { key: 'a', limit: 1 };
  const failed = expect(
    admission.run(applicant, {}, () => Promise.reject(new Error('no memory'))),
  ).rejects.toThrow('no memory');
  expect(await admission.run(applicant, {}, async () => 'next')).toBe('next');
  await failed;
});
