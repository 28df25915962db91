import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../src/platform/db/database.js';
import { DatabaseClock } from '../../../src/platform/db/database-clock.js';
import { cloneDatabase } from '../../support/database.js';

const MINUTE_MS = 60_000;
let db: Database;
let drop: () => Promise<void>;

beforeAll(async () => {
  const cloned = await cloneDatabase();
  drop = cloned.drop;
  db = await openDatabase(cloned.connection);
});
afterAll(async () => {
  await db.close();
  await drop();
});

/** A machine whose clocks move only when a test moves them. */
function machineAt(now: number) {
  const state = { wall: now, elapsed: 0 };
  return { state, now: () => state.wall, monotonic: () => state.elapsed };
}

test('the database clock shows the database’s time on a machine whose clock is wrong', async () => {
  const before = Date.now();
  const machine = machineAt(before - 60 * MINUTE_MS);
  const clock = await DatabaseClock.open(db.system('clock'), machine);
  // The database returns the real time, so its reading is between our two readings of Date.now(). Each may be rounded.
  expect(clock.now()).toBeGreaterThanOrEqual(before - 1);
  expect(clock.now()).toBeLessThanOrEqual(Date.now() + 1);
  expect(-clock.machineAheadMs).toBeGreaterThanOrEqual(60 * MINUTE_MS - 1);
  clock.close();
});

test('the database clock advances with elapsed time and ignores a step of the machine’s clock', async () => {
  const machine = machineAt(Date.now());
  const clock = await DatabaseClock.open(db.system('clock'), machine);
  const before = clock.now();
  machine.state.wall += 60 * MINUTE_MS;
  machine.state.elapsed += MINUTE_MS;
  expect(clock.now() - before).toBe(MINUTE_MS);
  clock.close();
});

test('the database clock ignores a delayed reply and is corrected by the next quick one', async () => {
  const machine = machineAt(Date.now());
  const clock = await DatabaseClock.open(db.system('clock'), machine);
  const before = clock.now();
  const heldUp = clock.synchronize();
  machine.state.elapsed += MINUTE_MS;
  await heldUp;
  expect(clock.now() - before).toBe(MINUTE_MS);
  await clock.synchronize();
  // The minute was only simulated, so the corrected clock shows the real time again and is not a minute ahead.
  expect(clock.now()).toBeLessThanOrEqual(Date.now() + 1);
  clock.close();
});
