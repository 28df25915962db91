import { afterAll, beforeAll, test } from 'vitest';
import { expectConsistent, Follower } from '../support/feed-consumers.js';
import { type Feira, openFeira } from '../support/feira.js';
import { expireEverything, openMixedStore, writeMixed } from '../support/mixed-writes.js';
import { sized } from '../support/sized.js';

const ROUNDS = sized(1, 3, 'FEIRA_EVENT_ROUNDS');
const WRITES = sized(120, 200, 'FEIRA_EVENT_WRITES');

let one: Feira;
let two: Feira;

beforeAll(async () => {
  one = await openFeira();
  two = await openFeira({ on: one });
  // Both sequencers assign numbers to events continuously. Reading the feed assigns them as well.
  for (const { context } of [one, two]) context.sequencer.start();
});
afterAll(async () => {
  for (const { context } of [one, two]) await context.sequencer.stop();
  await two.close();
  await one.close();
});

test.each(Array.from({ length: ROUNDS }, (_, round) => round))(
  `consumers of the feed reach the state of the store after ${WRITES} concurrent writes (round %i)`,
  { timeout: 600_000 },
  async (round) => {
    const mixed = await openMixedStore([one, two], round + 1);
    const follower = new Follower(mixed.store);
    let writing = true;
    const writers = writeMixed(mixed, { writes: WRITES, atOnce: 12 }).finally(() => {
      writing = false;
    });
    while (writing) await follower.readToEnd();
    await writers;
    await expireEverything(mixed);
    for (const { context } of [one, two]) context.sequencer.wake();
    await expectConsistent(mixed, follower);
  },
);
