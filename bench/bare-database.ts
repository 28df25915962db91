import Fastify from 'fastify';
import { Batcher } from 'feira/dist/platform/concurrency/batcher.js';
import { connectPipeline } from 'feira/dist/platform/db/pipeline/pipeline-connection.js';
import { arrayOf, fixed, rawJson, sql } from 'feira/dist/platform/db/sql.js';

// The smallest service that reads and writes rows the way Feira does: simultaneous requests share a statement, and a
// write and its event are one commit. It has no authentication, rate limits, validation, log, sorted lists, search or
// numbered events. Its rows in requests.ts show how much of a hello world's throughput Fastify, the driver and
// PostgreSQL leave on a machine, so that Feira's own part can be told from theirs.

const [port, host, database, user] = process.argv.slice(2) as [string, string, string, string];

interface Write {
  id: string;
  quantity: number;
}

type Json = string | Buffer;

interface Row {
  n: number;
  json: Json;
}

const DEADLINES = {
  lockMs: 10_000,
  statementMs: 10_000,
  answerMs: 12_000,
  transactionMs: 10_000,
  connectMs: 10_000,
  waitMs: 10_000,
  probeMs: 1_000,
};

const readStatement = fixed(
  (ids: string) => sql`
    select asked.n, ${rawJson(sql`b.json`, 'json')}
    from unnest((select ${ids}::uuid[])) with ordinality as asked(id, n) join bare_products b using (id)`,
);

const writeStatement = fixed(
  (ids: string, quantities: string) => sql`
    with locked as materialized (
      select b.id, asked.quantity, asked.n
      from unnest((select ${ids}::uuid[]), (select ${quantities}::integer[])) with ordinality as asked(id, quantity, n)
      join bare_products b on b.id = asked.id order by b.id for update of b
    ),
    changed as (
      update bare_products b set quantity = locked.quantity
      from locked where b.id = locked.id returning b.id, b.quantity, locked.n
    ),
    event as (
      insert into bare_events (data) select jsonb_build_object('id', id, 'quantity', quantity) from changed
    )
    select n, ${rawJson(sql`'{"id":"' || id || '","quantity":' || quantity || '}'`, 'json')} from changed`,
);

const connect = () => connectPipeline({ host, database, user }, DEADLINES);
const reading = await connect();
const writing = [await connect(), await connect()];

const reads = new Batcher(3, 12, async (ids: string[]) => {
  const rows = await reading.query<Row>(readStatement(arrayOf(ids)));
  return ordered(rows, ids.length);
});

const writes = new Batcher(writing.length, 16, async (requests: Write[]) => {
  const connection = writing.reduce((idle, each) => (each.pending < idle.pending ? each : idle));
  const ids = arrayOf(requests.map(({ id }) => id));
  const quantities = arrayOf(requests.map(({ quantity }) => quantity));
  const rows = await connection.query<Row>(writeStatement(ids, quantities));
  return ordered(rows, requests.length);
});

/** A product that is in a batch twice is changed only once. */
function ordered(rows: Row[], length: number): Json[] {
  const jsons: Json[] = Array.from({ length }, () => '{}');
  for (const { n, json } of rows) jsons[n - 1] = json;
  return jsons;
}

const app = Fastify();
app.get<{ Params: { id: string } }>('/products/:id', async ({ params }, reply) => {
  reply.header('content-type', 'application/json; charset=utf-8');
  return reply.send(await reads.submit(params.id));
});
app.patch<{ Params: { id: string }; Body: { quantity: number } }>(
  '/products/:id',
  async ({ params, body }, reply) => {
    reply.header('content-type', 'application/json; charset=utf-8');
    return reply.send(await writes.submit({ id: params.id, quantity: body.quantity }));
  },
);
app.get('/healthz', async () => ({ status: 'ok' }));
await app.listen({ host: '127.0.0.1', port: Number(port) });
