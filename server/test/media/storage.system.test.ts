import { GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { S3Storage } from '../../src/media/s3-storage.js';
import { newProduct } from '../support/catalog.js';
import { type Ceph, startCeph } from '../support/ceph.js';
import { MovableClock } from '../support/clock.js';
import { expectRejected } from '../support/expect-rejected.js';
import { openFeira } from '../support/feira.js';
import { pngOf } from '../support/images.js';
import { askUpload } from '../support/media.js';
import { until } from '../support/process.js';
import { rawPut } from '../support/raw-put.js';
import { describeStorage, type StorageUnderTest } from '../support/storage-suite.js';

let ceph: Ceph;
let client: S3Client;
let under: StorageUnderTest;

beforeAll(async () => {
  ceph = await startCeph();
  const { endpoint, region, bucket, ...credentials } = ceph.s3;
  client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  const clock = new MovableClock();
  under = {
    storage: new S3Storage(ceph.s3, clock),
    reach: (url) => url,
    // The clock of the storage server cannot be moved, so the URL is signed with a clock that is behind.
    expired(upload) {
      const behind = new MovableClock();
      behind.forward(-301_000);
      return new S3Storage(ceph.s3, behind).signPut(upload);
    },
    async names() {
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }));
      return Contents.map(({ Key }) => Key as string).sort();
    },
  };
}, 180_000);
afterAll(async () => {
  client?.destroy();
  await ceph?.stop();
});

describeStorage('S3 storage', () => under);

test('a server with S3 storage accepts an upload in three steps, discards a file that is not an image, and deletes the file of a removed image', async () => {
  const feira = await openFeira({ s3: ceph.s3 });
  try {
    const { names } = under;
    const store = await feira.store();
    const productId = await newProduct(store);
    const images = `/products/${productId}/images`;
    const bytes = await pngOf(1);
    const asked = await askUpload(store, productId, 'image/png', bytes.length);
    expectRejected(await store.post(images, { key: asked.key }), 422, ['key']);
    expect((await rawPut(asked.uploadUrl, 'image/png', bytes)).status).toBe(200);
    const attached = await store.post(images, { key: asked.key });
    expect(attached).toMatchObject({ status: 201, body: { key: asked.key, width: 61, height: 43 } });
    const published = await client.send(new GetObjectCommand({ Bucket: ceph.s3.bucket, Key: asked.key }));
    expect(published).toMatchObject({
      ContentType: 'image/png',
      CacheControl: 'public, max-age=31536000, immutable',
      ContentDisposition: 'inline',
    });
    expect(Buffer.from(await published.Body!.transformToByteArray()).equals(bytes)).toBe(true);

    const page = Buffer.from('<html><script>alert(1)</script></html>');
    const wrong = await askUpload(store, productId, 'image/png', page.length);
    await rawPut(wrong.uploadUrl, 'image/png', page);
    expectRejected(await store.post(images, { key: wrong.key }), 422, ['key']);
    expect((await names()).filter((name) => name.includes(wrong.key))).toEqual([]);

    await store.delete(`${images}/${attached.body.id}`);
    await until(async () => !(await names()).includes(asked.key));
    expect((await feira.app.inject('/readyz')).statusCode).toBe(200);
    expect((await feira.app.inject({ method: 'PUT', url: '/uploads/x' })).statusCode).toBe(404);
  } finally {
    await feira.close();
  }
});

test('a server whose bucket does not exist reports that it is not ready', async () => {
  const feira = await openFeira({ s3: { ...ceph.s3, bucket: 'missing' } });
  expect((await feira.app.inject('/readyz')).statusCode).toBe(503);
  await feira.close();
});
