import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LocalStorage } from '../../src/media/local-storage.js';
import type { Storage } from '../../src/media/storage.js';
import { dropUnattached, sweepFiles } from '../../src/media/sweep.js';
import { sql } from '../../src/platform/db/sql.js';
import { newProduct } from '../support/catalog.js';
import { expectRejected } from '../support/expect-rejected.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { pngOf } from '../support/images.js';
import { askUpload, put, served, storedFiles, upload, uploadAndAttach } from '../support/media.js';
import { until } from '../support/process.js';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let feira: Feira;
let store: StoreClient;
let productId: string;
let bytes: Buffer;

beforeEach(async () => {
  feira = await openFeira();
  store = await feira.store();
  productId = await newProduct(store);
  bytes = await pngOf(1);
});
afterEach(() => feira.close());

/** Runs the periodic jobs with which the worker deletes files. */
async function runJobs(): Promise<void> {
  const { db, clock, storage } = feira.context;
  await dropUnattached(db.background('test'), clock);
  await sweepFiles(db.background('test'), clock, storage);
}

const fileOf = (key: string) => `files/${key}`;
const stagedOf = (key: string) => `staging/${key}`;

test('an upload that was not attached is deleted after a day, and its key becomes invalid', async () => {
  const key = await upload(feira, store, productId, bytes);
  feira.clock.forward(DAY - MINUTE);
  await runJobs();
  expect(storedFiles(feira)).toEqual([stagedOf(key)]);
  feira.clock.forward(2 * MINUTE);
  await runJobs();
  expect(storedFiles(feira)).toEqual([]);
  // By now the token of `store` has expired.
  const again = await store.withScopes(['media:write']);
  expectRejected(await again.post(`/products/${productId}/images`, { key }), 422, ['key']);
});

test('the staged bytes of an attached file are deleted once its upload URL has expired, and the file stays', async () => {
  const { body } = await uploadAndAttach(feira, store, productId, bytes);
  await runJobs();
  expect(storedFiles(feira)).toEqual([fileOf(body.key), stagedOf(body.key)]);
  feira.clock.forward(11 * MINUTE);
  await runJobs();
  expect(storedFiles(feira)).toEqual([fileOf(body.key)]);
  feira.clock.forward(30 * DAY);
  await runJobs();
  expect(storedFiles(feira)).toEqual([fileOf(body.key)]);
  expect((await served(feira, body.url)).statusCode).toBe(200);
});

test('if a file is uploaded again after its key was attached, the new staged bytes are deleted too', async () => {
  const asked = await askUpload(store, productId, 'image/png', bytes.length);
  await put(feira, asked, 'image/png', bytes);
  await store.post(`/products/${productId}/images`, { key: asked.key });
  feira.clock.forward(4 * MINUTE);
  await runJobs();
  expect(await put(feira, asked, 'image/png', bytes)).toBe(200);
  feira.clock.forward(7 * MINUTE);
  expect(await put(feira, asked, 'image/png', bytes)).toBe(403);
  await runJobs();
  expect(storedFiles(feira)).toEqual([fileOf(asked.key)]);
});

test('the file of a removed image is deleted immediately, and no other file is', async () => {
  const [one, two] = [
    await uploadAndAttach(feira, store, productId, bytes),
    await uploadAndAttach(feira, store, productId, await pngOf(2)),
  ];
  await store.delete(`/products/${productId}/images/${one.body.id}`);
  await until(() => !storedFiles(feira).includes(fileOf(one.body.key)));
  expect((await served(feira, one.body.url)).statusCode).toBe(404);
  expect((await served(feira, two.body.url)).statusCode).toBe(200);
});

test('the image files of a deleted product are deleted immediately, its unattached uploads after a day, and the files of other products stay', async () => {
  const neighbor = await newProduct(store);
  const other = await feira.store();
  const theirs = await newProduct(other);
  const kept = [
    await uploadAndAttach(feira, store, neighbor, bytes),
    await uploadAndAttach(feira, other, theirs, bytes),
  ];
  const gone = [
    await uploadAndAttach(feira, store, productId, bytes),
    await uploadAndAttach(feira, store, productId, bytes),
  ];
  const unattached = await upload(feira, store, productId, bytes);
  await store.delete(`/products/${productId}`);
  await until(() => gone.every(({ body }) => !storedFiles(feira).includes(fileOf(body.key))));
  feira.clock.forward(DAY + MINUTE);
  await runJobs();
  expect(storedFiles(feira)).toEqual(kept.map(({ body }) => fileOf(body.key)).sort());
  expect(storedFiles(feira)).not.toContain(stagedOf(unattached));
});

test('partial files left by a process that died are removed with the upload', async () => {
  const asked = await askUpload(store, productId, 'image/png', bytes.length);
  await put(feira, asked, 'image/png', bytes);
  const folder = join((feira.context.storage as LocalStorage).published, '..');
  const names = [fileOf(asked.key), stagedOf(asked.key), `variants/160/${asked.key}.webp`];
  const halves = names.map((name) => `${name}.0123456789ab.part`);
  for (const half of halves) {
    mkdirSync(dirname(join(folder, half)), { recursive: true });
    writeFileSync(join(folder, half), 'half');
  }
  feira.clock.forward(DAY + MINUTE);
  await runJobs();
  expect(storedFiles(feira)).toEqual([]);
});

test('files that are not marked for deletion are left alone', async () => {
  const { body } = await uploadAndAttach(feira, store, productId, bytes);
  const folder = join((feira.context.storage as LocalStorage).published, '..');
  writeFileSync(join(folder, 'files', 'note.txt'), 'mine');
  feira.clock.forward(DAY + MINUTE);
  await runJobs();
  expect(storedFiles(feira)).toEqual([`files/note.txt`, fileOf(body.key)].sort());
});

test('two concurrent sweeps remove all queued files, even if these fill several batches, and no other file', async () => {
  const { db, clock, storage } = feira.context;
  // Inserts many uploads directly, as if they had been requested one by one.
  await db.store('test').autocommit.query(sql`
    insert into uploads (workspace_id, key, product_id, content_type, content_length)
    select ${store.workspaceId}::uuid, 'product_images/' || ${productId}::text || '/' || n || '.png', ${productId}::uuid,
      'image/png', 1
    from generate_series(1, 210) n`);
  const kept = await uploadAndAttach(feira, store, productId, bytes);
  await upload(feira, store, productId, bytes);
  feira.clock.forward(DAY + MINUTE);
  await dropUnattached(db.background('test'), clock);
  await Promise.all([
    sweepFiles(db.background('test'), clock, storage),
    sweepFiles(db.background('test'), clock, storage),
  ]);
  expect(storedFiles(feira)).toEqual([fileOf(kept.body.key)]);
});

test('files claimed by a process that died are removed by another once the claim has expired', async () => {
  const { db, clock, storage } = feira.context;
  const { body } = await uploadAndAttach(feira, store, productId, bytes);
  await db
    .store('test')
    .autocommit.query(
      sql`insert into files_to_delete (workspace_id, key) values (${store.workspaceId}, ${body.key})`,
    );
  await new Promise<void>((claimed) => {
    const dying: Storage = Object.create(storage);
    dying.remove = () => {
      claimed();
      return new Promise(() => {});
    };
    void sweepFiles(db.background('test'), clock, dying);
  });
  await sweepFiles(db.background('test'), clock, storage);
  expect(storedFiles(feira)).toContain(fileOf(body.key));
  feira.clock.forward(3 * MINUTE);
  await sweepFiles(db.background('test'), clock, storage);
  expect(storedFiles(feira)).not.toContain(fileOf(body.key));
});

describe('a file queued for removal', () => {
  /** Queues files for removal and returns their keys, oldest first. */
  async function queueForRemoval(count: number): Promise<string[]> {
    const keys = Array.from({ length: count }, (_, index) => `product_images/${productId}/${index}.png`);
    await feira.context.db.store('test').autocommit.query(sql`
      insert into files_to_delete (workspace_id, key, remove_at)
      select ${store.workspaceId}::uuid, key, now() - interval '1 hour' + n * interval '1 ms'
      from unnest(${keys}::text[]) with ordinality as t(key, n)`);
    return keys;
  }

  /** Returns a storage that only records which files it should remove, and that fails for the given keys. */
  function failingFor(keys: string[]): { storage: Storage; asked: string[] } {
    const asked: string[] = [];
    const storage: Storage = Object.create(feira.context.storage);
    storage.remove = async (key) => {
      asked.push(key);
      if (keys.includes(key)) throw new Error('permission denied');
    };
    return { storage, asked };
  }

  const left = async () =>
    (
      await feira.context.db
        .store('test')
        .query<{ key: string }>(sql`select key from files_to_delete order by remove_at`)
    ).map(({ key }) => key);

  test('is removed once, however many sweeps run at the same time', async () => {
    const { db, clock } = feira.context;
    const keys = await queueForRemoval(120);
    const { storage, asked } = failingFor([]);
    await Promise.all(Array.from({ length: 5 }, () => sweepFiles(db.background('test'), clock, storage)));
    expect(asked.sort()).toEqual(keys.sort());
    expect(await left()).toEqual([]);
  });

  test('that cannot be removed is reported and does not block the others', async () => {
    const { db, clock } = feira.context;
    const [first] = await queueForRemoval(5);
    const { storage } = failingFor([first!]);
    await expect(sweepFiles(db.background('test'), clock, storage)).rejects.toThrow(
      '1 of 5 files could not be removed',
    );
    expect(await left()).toEqual([first]);
  });

  test('that cannot be removed is retried later, so that a full batch of such files does not block others', async () => {
    const { db, clock } = feira.context;
    const keys = await queueForRemoval(51);
    const stuck = keys.slice(0, 50);
    const { storage, asked } = failingFor(stuck);
    await expect(sweepFiles(db.background('test'), clock, storage)).rejects.toThrow('50 of 50');
    await sweepFiles(db.background('test'), clock, storage);
    expect(asked).toHaveLength(51);
    expect((await left()).sort()).toEqual(stuck.sort());
    feira.clock.forward(11 * MINUTE);
    await sweepFiles(db.background('test'), clock, failingFor([]).storage);
    expect(await left()).toEqual([]);
  });
});
