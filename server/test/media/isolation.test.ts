import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { InspectionThreads } from '../../src/media/inspection-threads.js';
import type { Storage } from '../../src/media/storage.js';
import { verifyImage } from '../../src/media/verify.js';
import { sql } from '../../src/platform/db/sql.js';
import { gifBomb, jpegOfFrames } from '../support/bombs.js';
import { newProduct } from '../support/catalog.js';
import { expectRejected } from '../support/expect-rejected.js';
import { type Answer, type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { pngOf } from '../support/images.js';
import { upload, uploadAndAttach } from '../support/media.js';
import { until } from '../support/process.js';

let feira: Feira;
let store: StoreClient;
let productId: string;

beforeAll(async () => {
  feira = await openFeira();
  store = await feira.store();
  productId = await newProduct(store);
});
afterAll(() => feira.close());

const attach = (client: StoreClient, product: string, key: string): Promise<Answer> =>
  client.post(`/products/${product}/images`, { key });

test('sixteen files that are slow to verify do not delay the file of another store', async () => {
  const other = await feira.store();
  const theirs = await newProduct(other);
  const heavy = gifBomb(1_000, 1_000, 10);
  const keys: string[] = [];
  for (let i = 0; i < 16; i++) keys.push(await upload(feira, store, productId, heavy, 'image/gif'));
  const light = await upload(feira, other, theirs, await pngOf(1));
  let pending = keys.length;
  const heavyAttaches = Promise.all(
    keys.map((key) => attach(store, productId, key).finally(() => pending--)),
  );
  expect((await attach(other, theirs, light)).status).toBe(201);
  expect(pending).toBeGreaterThanOrEqual(8);
  expect((await heavyAttaches).map(({ status }) => status)).toEqual(Array(16).fill(201));
});

test.each([
  ['without an Idempotency-Key', {}],
  ['with an Idempotency-Key', { 'idempotency-key': 'attach-once' }],
])('%s, no transaction is open while a file is read, verified and published', async (_how, headers) => {
  const key = await upload(feira, store, productId, await pngOf(1));
  let waits = 0;
  // The request waits for this, so a transaction of its own would remain open until it is aborted. Those of other work
  // end soon.
  const noTransactionIsOpen = async () => {
    waits++;
    await until(async () => {
      const open = await feira.context.db.store('test').query(sql`
        select from pg_stat_activity
        where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()
          and backend_type = 'client backend'`);
      return open.length === 0;
    });
  };
  const { storage } = feira.context;
  const { readStaged, publish } = storage;
  const watched: Pick<Storage, 'readStaged' | 'publish'> = {
    async readStaged(...args) {
      await noTransactionIsOpen();
      return readStaged.apply(storage, args);
    },
    async publish(...args) {
      await noTransactionIsOpen();
      return publish.apply(storage, args);
    },
  };
  Object.assign(storage, watched);
  try {
    expect((await store.post(`/products/${productId}/images`, { key }, headers)).status).toBe(201);
  } finally {
    Object.assign(storage, { readStaged, publish });
  }
  expect(waits).toBe(2);
});

test.each([
  [1, 'more than one frame'],
  [255, 'more than 4 components'],
])('a JPEG of sixty thousand frames with %i components each is rejected', async (components, found) => {
  const bytes = jpegOfFrames(60_000, components);
  const answer = await uploadAndAttach(feira, store, productId, bytes, 'image/jpeg');
  expectRejected(answer, 422, ['key']);
  expect(answer.body.details[0].message).toContain(found);
});

test('the event loop keeps running while a file of ten megabytes is inspected', async () => {
  let done = false;
  let turns = 0;
  const verifying = verifyImage(largestGif(), 'image/gif').finally(() => {
    done = true;
  });
  while (!done) {
    await new Promise((resolve) => setImmediate(resolve));
    turns++;
  }
  expect(await verifying).toEqual({ fault: expect.stringContaining('is incomplete') });
  // If files were inspected on the event loop, it would make only one or two turns.
  expect(turns).toBeGreaterThan(20);
});

test('a file whose inspection exceeds the deadline is rejected, and inspections with the usual deadline still work', async () => {
  const shortDeadline = new InspectionThreads(1);
  expect(await shortDeadline.inspect(largestGif(), 'image/gif')).toBe('late');
  vi.spyOn(InspectionThreads.prototype, 'inspect').mockResolvedValueOnce('late');
  const answer = await uploadAndAttach(feira, store, productId, await pngOf(1));
  expectRejected(answer, 422, ['key']);
  expect(answer.body.details[0].message).toBe('could not be verified in time; the file was discarded');
  const usual = new InspectionThreads();
  for (let time = 0; time < 3; time++)
    expect(await usual.inspect(await pngOf(1), 'image/png')).toEqual({ bytes: expect.any(Uint8Array) });
});

/** Returns a GIF with ten megabytes of LZW codes. All must be read to find that the last frame is incomplete. */
function largestGif(): Buffer {
  const frame = gifBomb(3_000, 3_000).subarray(19, -1);
  const count = Math.floor(10_400_000 / frame.length);
  const whole = gifBomb(3_000, 3_000);
  const frames = Array(Math.min(count, 4_000)).fill(frame);
  const incomplete = Buffer.from([0x2c, 0, 0, 0, 0, 9, 0, 9, 0, 0, 2, 1, 0x44, 0]);
  return Buffer.concat([whole.subarray(0, 19), ...frames, incomplete, Buffer.from(';')]);
}
