import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectConsistent, Follower } from '../support/feed-consumers.js';
import { type Feira, openFeira } from '../support/feira.js';
import { Fleet } from '../support/fleet.js';
import { expireEverything, openMixedStore, writeMixed } from '../support/mixed-writes.js';
import { until } from '../support/process.js';
import { Random } from '../support/random.js';

// Set FEIRA_EVENT_ROUNDS=100 for a long run.
const ROUNDS = Number(process.env.FEIRA_EVENT_ROUNDS ?? 2);
const WRITES = Number(process.env.FEIRA_EVENT_WRITES ?? 500);
const SEED = Number(process.env.FEIRA_EVENT_SEED ?? 1);

let fleet: Fleet;
let one: Feira;
let two: Feira;

beforeAll(async () => {
  fleet = await Fleet.open();
  // Only these workers assign sequence numbers to events in the background, and the test kills them.
  await fleet.start('worker', 2);
  one = await openFeira({ connection: fleet.connection });
  two = await openFeira({ on: one });
});
afterAll(async () => {
  await two?.close();
  await one?.close();
  await fleet?.close();
});

const kills = { worker: 0, postgres: 0 };

test.each(Array.from({ length: ROUNDS }, (_, round) => round))(
  `consumers of the feed reach the state of the store after ${WRITES} writes during which workers and PostgreSQL are killed (round %i)`,
  { timeout: 600_000 },
  async (round) => {
    const mixed = await openMixedStore([one, two], SEED + round);
    const follower = new Follower(mixed.store);
    let writing = true;
    const writers = writeMixed(mixed, { writes: WRITES, atOnce: 12, duringFaults: true }).finally(() => {
      writing = false;
    });
    const killers = [0, 1].map((index) => killWorker(index, () => writing, new Random(SEED + round + index)));
    killers.push(killPostgres());
    while (writing) await follower.readToEnd();
    const interrupted = await writers;
    await Promise.all(killers);
    // Connections that broke when PostgreSQL was killed fail at their next use, so this is repeated until it succeeds.
    await until(() =>
      expireEverything(mixed).then(
        () => true,
        () => false,
      ),
    );
    await expectConsistent(mixed, follower);
    console.log({ round, events: follower.seen.length, interrupted, kills: { ...kills } });
    expect(follower.seen.length).toBeGreaterThan(WRITES / 4);
  },
);

/** Kills one of the workers repeatedly, at random times. */
async function killWorker(index: number, continues: () => boolean, random: Random): Promise<void> {
  do {
    await delay(50 + random.below(500));
    kills.worker++;
    await fleet.kill(index);
  } while (continues());
}

async function killPostgres(): Promise<void> {
  await delay(300);
  kills.postgres++;
  await fleet.killPostgres();
}
