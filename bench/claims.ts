import { parseArgs } from 'node:util';
import type { Claimed } from 'feira/dist/webhooks/claim.js';
import { compare, EventDatabase, openCluster, timed } from './event-databases.js';

// Measures the cost of claiming deliveries of one subscription, and of recording their results, while another
// subscription has a large backlog.

const { values: options } = parseArgs({
  options: { due: { type: 'string', default: '1000000' }, claims: { type: 'string', default: '300' } },
});
const GOAL = 1.2;
const PER_CLAIM = 16;

const cluster = await openCluster();
const empty = await EventDatabase.create(cluster.connection, 'empty');
const full = await EventDatabase.create(cluster.connection, 'full');
const backlog = await full.subscribe();

console.log(`adding ${options.due} due deliveries of one subscription`);
await full.client.query(`set synchronous_commit = off`);
await full.client.query(
  `insert into deliveries (workspace_id, id, webhook_id, event_id, event)
   select $1, delivery_id(event_id, $2), $2, event_id, 'stock.updated'
   from (select new_id() as event_id from generate_series(1, $3::integer)) events`,
  [backlog.workspaceId, backlog.webhookId, options.due],
);
await full.client.query(
  `insert into delivery_queues (workspace_id, webhook_id, next_at) values ($1, $2, '-infinity')`,
  [backlog.workspaceId, backlog.webhookId],
);
for (const database of [empty, full]) await database.warmUp([backlog]);

const times = { empty: [] as number[], excluded: [] as number[] };
const recording = { empty: [] as number[], full: [] as number[] };
for (let round = 0; round < Number(options.claims); round++) {
  for (const database of [empty, full]) {
    await database.write(PER_CLAIM);
    // The subscription with the backlog is excluded from the claim, as if its receiver hung and nothing more could be
    // sent to it.
    const isFull = database === full;
    let claimed: Claimed[] = [];
    const ms = await timed(async () => {
      claimed = await database.claim(isFull ? [backlog] : []);
      if (claimed.length !== PER_CLAIM) throw new Error(`claimed ${claimed.length}, not ${PER_CLAIM}`);
    });
    times[isFull ? 'excluded' : 'empty'].push(ms);
    recording[isFull ? 'full' : 'empty'].push(await timed(() => database.record(claimed)));
  }
}
const met = compare(
  `claim of ${PER_CLAIM} deliveries with a backlog of ${options.due}`,
  times.empty,
  times.excluded,
  GOAL,
);
const recordingMet = compare(
  `recording of ${PER_CLAIM} results with the same backlog`,
  recording.empty,
  recording.full,
  GOAL,
);

// Now deliveries of the subscription with the backlog are claimed, too. The empty database also gets a second
// subscription, to which 16 deliveries are added per round.
const few = await empty.subscribe();
const both = { empty: [] as number[], full: [] as number[] };
for (let round = 0; round < Number(options.claims) / 3; round++) {
  await empty.client.query(
    `insert into deliveries (workspace_id, id, webhook_id, event_id, event)
     select $1, delivery_id(event_id, $2), $2, event_id, 'stock.updated'
     from (select new_id() as event_id from generate_series(1, 16)) events`,
    [few.workspaceId, few.webhookId],
  );
  await empty.client.query(
    `insert into delivery_queues (workspace_id, webhook_id, next_at) values ($1, $2, '-infinity')
     on conflict (workspace_id, webhook_id) do update set next_at = '-infinity'`,
    [few.workspaceId, few.webhookId],
  );
  for (const database of [empty, full]) {
    await database.write(PER_CLAIM);
    const list = database === full ? both.full : both.empty;
    list.push(await timed(() => database.claim()));
    await database.finish();
  }
}
const metToo = compare('claim from both subscriptions', both.empty, both.full, GOAL);

await empty.close();
await full.close();
await cluster.close();
process.exit(met && recordingMet && metToo ? 0 : 1);
