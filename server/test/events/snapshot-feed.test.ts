import { afterAll, beforeAll, test } from 'vitest';
import { insertCatalog } from '../support/catalog-rows.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { Random } from '../support/random.js';
import { sized } from '../support/sized.js';
import { expectToCatchUp, writeUntil } from '../support/snapshot-consumer.js';
import { type ReadSnapshot, readSnapshot } from '../support/snapshots.js';

const ROUNDS = sized(1, 3);
const POSITIONS_PER_ROUND = 4;

const processes: Feira[] = [];
let store: StoreClient;

beforeAll(async () => {
  processes.push(await openFeira());
  processes.push(await openFeira({ on: processes[0]! }));
  store = await processes[0]!.store();
  await insertCatalog(processes[0]!, store, 250);
});
afterAll(async () => {
  for (const each of processes.reverse()) await each.close();
});

test.each(Array.from({ length: ROUNDS }, (_, n) => n + 1))(
  'a snapshot taken during writes matches the store once the events after its cursor are applied (round %i)',
  async (seed) => {
    const [first, second] = processes as [Feira, Feira];
    const taken: ReadSnapshot[] = [];
    let isDone = false;
    // On each GET /events, the second server assigns sequence numbers to the committed events, as a worker does. The
    // first server streams the snapshots, and both servers write.
    const sequencing = (async () => {
      while (!isDone) await store.through(second).get('/events?limit=1');
    })();
    const writing = writeUntil(processes, store, new Random(seed), () => isDone);
    // Counts different cursors, because two snapshots may be taken between the same two events.
    while (new Set(taken.map(({ cursor }) => cursor)).size < POSITIONS_PER_ROUND)
      taken.push(await readSnapshot(first, store, '/products'));
    isDone = true;
    await Promise.all([writing, sequencing]);
    for (const snapshot of taken) await expectToCatchUp(store, snapshot);
  },
);
