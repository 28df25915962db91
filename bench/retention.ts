import { parseArgs } from 'node:util';
import { rotatePartitions } from 'feira/dist/events/retention.js';
import { purgeIdempotencyKeys } from 'feira/dist/platform/http/idempotency-keys.js';
import { compare, EventDatabase, openCluster, timed } from './event-databases.js';

// Measures how 30 days of events affect writes of new events and claims of deliveries, how long it takes to drop
// expired events, and how fast expired idempotency keys are deleted.

const { values: options } = parseArgs({
  options: {
    events: { type: 'string', default: '10000000' },
    /** The number of finished deliveries, each with one attempt. */
    deliveries: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '150' },
    /** The number of expired idempotency keys: as many as arrive in five minutes at 1,000 per second. */
    keys: { type: 'string', default: '300000' },
  },
});
const GOAL = 1.2;
/** The goal in purged keys per second: 1,000 new keys arrive per second, and the purge runs at most 20 s per minute. */
const KEYS_GOAL = 3_000;
const PER_ROUND = 200;
const DAY = 24 * 60 * 60 * 1000;
const DAYS = 30;

const cluster = await openCluster();
const empty = await EventDatabase.create(cluster.connection, 'empty');
const full = await EventDatabase.create(cluster.connection, 'full');

console.log(`adding ${options.events} events and ${options.deliveries} deliveries of ${DAYS} days`);
console.log(`  took ${Math.round((await timed(() => fill(full))) / 1000)} s`);
for (const database of [empty, full]) await database.warmUp();

const times = {
  write: { empty: [] as number[], full: [] as number[] },
  claim: { empty: [] as number[], full: [] as number[] },
};
for (let round = 0; round < Number(options.rounds); round++) {
  for (const [name, database] of [
    ['empty', empty],
    ['full', full],
  ] as const) {
    times.write[name].push(await timed(() => database.write(PER_ROUND)));
    times.claim[name].push(await timed(() => database.claim()));
    await database.finish();
  }
}
const met = [
  compare(`write ${PER_ROUND} events and assign their numbers`, times.write.empty, times.write.full, GOAL),
  compare('claim of 16 deliveries', times.claim.empty, times.claim.full, GOAL),
];

const inAWeek = { now: () => Date.now() + 7 * DAY, monotonic: () => performance.now() };
const before = await sizeOf(full);
const dropMs = await timed(() => rotatePartitions(full.db.background('bench'), inAWeek));
console.log(
  `dropping the expired weeks: ${dropMs.toFixed(0)} ms, ${before} MB before and ${await sizeOf(full)} MB after; the job runs every ten minutes`,
);

await addExpiredKeys(full);
const purgeMs = await timed(() =>
  purgeIdempotencyKeys(full.db.background('bench'), { ...inAWeek, now: Date.now }),
);
const left = Number((await full.client.query('select count(*) from idempotency_keys')).rows[0].count);
const purged = Number(options.keys) - left;
const keysPerSecond = purged / (purgeMs / 1000);
console.log(
  `purging expired idempotency keys: ${purged} of ${options.keys} in ${(purgeMs / 1000).toFixed(1)} s, ${Math.round(keysPerSecond)} per second (goal ${KEYS_GOAL})`,
);

await empty.close();
await full.close();
await cluster.close();
process.exit(met.every(Boolean) && keysPerSecond >= KEYS_GOAL ? 0 : 1);

/** Adds events and finished deliveries of stores other than the measured one, spread over the last 30 days. */
async function fill({ client, measured }: EventDatabase): Promise<void> {
  await client.query(`set synchronous_commit = off; set maintenance_work_mem = '512MB'`);
  const since = new Date(Date.now() - DAYS * DAY).toISOString();
  await client.query(
    `select add_partitions(parent, $1::timestamptz, now()) from unnest(array['events', 'deliveries', 'delivery_attempts']) parent`,
    [since],
  );
  // Ids begin with the time of their creation. Each store gets 100,000 ids.
  const ids = `
    select (left(replace(first_id_of($1::timestamptz + n * ($2::float8 * interval '1 ms'))::text, '-', ''), 12)
        || '7' || substr(md5(n::text), 1, 19))::uuid as id,
      ('00000000-0000-4000-8000-' || lpad((n % greatest(1, $3::integer / 100000))::text, 12, '0'))::uuid as workspace_id,
      n from generate_series(0, $3::integer - 1) n`;
  const events = Number(options.events);
  await client.query(
    `insert into events (workspace_id, id, sequence, event, data, origin, created_at)
     select workspace_id, id, n + 1, 'stock.updated', jsonb_build_object('id', id, 'quantity', n), 'system', now() from (${ids}) ids`,
    [since, (DAYS * DAY) / events, events],
  );
  const deliveries = Number(options.deliveries);
  const parameters = [since, (DAYS * DAY) / deliveries, deliveries];
  await client.query(
    `insert into deliveries (workspace_id, id, webhook_id, event_id, event, status, attempts, attempts_left)
     select workspace_id, id, '${measured.webhookId}', id, 'stock.updated', 'delivered', 1, 4 from (${ids}) ids`,
    parameters,
  );
  await client.query(
    `insert into delivery_attempts (workspace_id, delivery_id, number, at, status_code, duration_ms)
     select workspace_id, id, 1, now(), 204, 5 from (${ids}) ids`,
    parameters,
  );
}

async function addExpiredKeys({ client, measured }: EventDatabase): Promise<void> {
  await client.query(
    `insert into idempotency_keys (workspace_id, client_id, key, request_hash, status, body, created_at)
     select $1, 'bench', n::text, '\\x00', 201, decode(repeat('ab', 300), 'hex'), now() - interval '25 hours'
     from generate_series(1, $2::integer) n`,
    [measured.workspaceId, options.keys],
  );
  await client.query('vacuum analyze idempotency_keys');
}

async function sizeOf({ client }: EventDatabase): Promise<number> {
  const { rows } = await client.query('select pg_database_size(current_database()) / 1000000 as size');
  return Number(rows[0].size);
}
