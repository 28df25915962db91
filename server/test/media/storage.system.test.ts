import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll } from 'vitest';
import { S3Storage } from '../../src/media/s3-storage.js';
import { type Ceph, startCeph } from '../support/ceph.js';
import { MovableClock } from '../support/clock.js';
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
    // The server's clock cannot be moved: so the address is signed by one that is behind.
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
});
afterAll(async () => {
  client?.destroy();
  await ceph?.stop();
});

describeStorage('S3 storage', () => under);
