import { afterAll, beforeAll, expect, test } from 'vitest';
import { rowIn, type WireHandler, WireReader } from '../../../src/platform/db/pipeline/wire-reader.js';
import { openSession } from '../../../src/platform/db/session.js';
import { cloneDatabase } from '../../support/database.js';

// The responses of a real PostgreSQL to several statements: column descriptions, rows with NULL, accents and JSON,
// errors and a notice.
let recorded: Buffer;
let cloned: Awaited<ReturnType<typeof cloneDatabase>>;

beforeAll(async () => {
  cloned = await cloneDatabase();
  const deadlines = {
    lockMs: 1_000,
    statementMs: 1_000,
    answerMs: 1_000,
    transactionMs: 1_000,
    connectMs: 5_000,
    waitMs: 1_000,
    probeMs: 1_000,
  };
  const { client, socket } = await openSession(cloned.connection, deadlines);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(Buffer.from(chunk)));
  const rows = `select n, null::text as nothing, 'maçã ' || n as name, '{"n":' || n || '}' as document, now() as at
    from generate_series(1, $1) n`;
  await client.query({ name: 'rows', text: rows, values: [3] });
  await client.query({ name: 'rows', text: rows, values: [1] });
  await client.query({ text: 'select 1 / $1::integer as x', values: [0] }).catch(() => {});
  await client
    .query({ text: 'select from no_such_table where $1::integer = 1', values: [1] })
    .catch(() => {});
  await client.query({ text: `do $$ begin raise notice 'a notice'; end $$`, values: [] });
  await client.query({ text: 'select $1::integer as last', values: [7] });
  await client.end();
  recorded = Buffer.concat(chunks);
});
afterAll(() => cloned.drop());

/** Returns everything that a reader reports to its handler, in the order of the calls. */
function read(pieces: Buffer[]): unknown[] {
  const reported: unknown[] = [];
  let columns: Parameters<WireHandler['columns']>[0] = [];
  const reader = new WireReader({
    parsed: () => void reported.push('parsed'),
    columns: (found) => {
      columns = found;
      reported.push(found.map(({ name }) => name));
    },
    row: (bytes, at) => {
      const { document, ...row } = rowIn(columns, ['document'], bytes, at);
      reported.push({ ...row, ...(document !== undefined && { document: String(document) }) });
    },
    failed: (error) => void reported.push((error as { code?: string }).code),
    ready: () => void reported.push('ready'),
  });
  for (const piece of pieces) reader.read(piece);
  return reported;
}

test('the reader reports rows, errors and the end of each response', () => {
  const reported = read([recorded]);
  expect(reported).toContainEqual(
    expect.objectContaining({ n: 2, nothing: null, name: 'maçã 2', document: '{"n":2}' }),
  );
  expect(reported).toContain('22012');
  expect(reported).toContain('42P01');
  expect(reported).toContainEqual({ last: 7 });
  expect(reported.filter((each) => each === 'ready')).toHaveLength(6);
});

test('the reader reports the same when the bytes are split at any offset', () => {
  const whole = read([recorded]);
  for (let at = 1; at < recorded.length; at++)
    expect(read([recorded.subarray(0, at), recorded.subarray(at)])).toEqual(whole);
});

test('the reader reports the same when the bytes arrive one at a time or in larger pieces', () => {
  const whole = read([recorded]);
  for (const size of [1, 2, 3, 5, 7, 64, 1_000]) {
    const pieces = Array.from({ length: Math.ceil(recorded.length / size) }, (_, index) =>
      recorded.subarray(index * size, (index + 1) * size),
    );
    expect(read(pieces)).toEqual(whole);
  }
});
