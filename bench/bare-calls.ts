import type { Call } from './calls.js';
import { startBareDatabase } from './processes.js';
import { requestBytes, shuffled } from './request-bytes.js';
import { type Connection, query } from './seed.js';

const PRODUCTS = 10_000;
/**
 * About the size of the JSON of a product with its images and variations. PostgreSQL would store a longer text outside
 * the row. The text is random, because PostgreSQL would compress repeated characters.
 */
const JSON_DIGITS = 1_900;
const PASSES = 4;

/** Calls to the service in bare-database.ts, which only reads and writes rows. */
export async function bareCalls(connection: Connection): Promise<Call[]> {
  await query(
    connection,
    'create table bare_products (id uuid primary key, quantity integer not null, json text not null) with (fillfactor = 85)',
  );
  await query(
    connection,
    'create table bare_events (id bigint generated always as identity primary key, data jsonb not null)',
  );
  const products = await query<{ id: string }>(
    connection,
    `insert into bare_products
     select gen_random_uuid(), 1, '{"x":"' || left(string_agg(md5(random()::text), ''), $2::integer) || '"}'
     from generate_series(1, $1::integer) product, generate_series(1, 100) group by product returning id`,
    [PRODUCTS, JSON_DIGITS],
  );
  await query(connection, 'vacuum analyze bare_products');
  const server = await startBareDatabase(connection);
  const paths = products.map(({ id }) => `/products/${id}`);
  return [
    {
      name: 'bare: read a row',
      goal: undefined,
      server,
      requests: () => shuffled(paths).map((path) => requestBytes('GET', path)),
    },
    {
      name: 'bare: update a row, insert its event',
      goal: undefined,
      server,
      requests: (round) =>
        Array.from({ length: PASSES }, (_, pass) =>
          shuffled(paths).map((path) =>
            requestBytes('PATCH', path, undefined, { quantity: 2 + round * PASSES + pass }),
          ),
        ).flat(),
    },
  ];
}
