// Creates the bucket S3_BUCKET unless it exists. Waits for the storage if it is still starting.
import { setTimeout as delay } from 'node:timers/promises';
import { CreateBucketCommand, HeadBucketCommand, S3Client } from '@aws-sdk/client-s3';

const ATTEMPTS = 60;
const {
  S3_ENDPOINT,
  S3_BUCKET,
  S3_REGION = 'us-east-1',
  S3_ACCESS_KEY_ID,
  S3_SECRET_ACCESS_KEY,
} = process.env;
const client = new S3Client({
  endpoint: S3_ENDPOINT,
  region: S3_REGION,
  forcePathStyle: true,
  credentials: { accessKeyId: S3_ACCESS_KEY_ID, secretAccessKey: S3_SECRET_ACCESS_KEY },
});

async function ensureBucket() {
  const exists = await client.send(new HeadBucketCommand({ Bucket: S3_BUCKET })).then(
    () => true,
    () => false,
  );
  if (!exists) await client.send(new CreateBucketCommand({ Bucket: S3_BUCKET }));
}

for (let attempt = 1; ; attempt++) {
  try {
    await ensureBucket();
    break;
  } catch (error) {
    if (attempt === ATTEMPTS) throw error;
    console.error(`The storage at ${S3_ENDPOINT} is not ready, trying again: ${error.message || error.code}`);
    await delay(1_000);
  }
}
console.log(`Bucket ${S3_BUCKET} exists`);
