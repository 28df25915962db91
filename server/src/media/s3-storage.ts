import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { Clock } from '../platform/clock.js';
import type { S3Config } from '../platform/config-s3.js';
import { type ImageType, MAX_BYTES } from './image-types.js';
import { type SignedPut, type Storage, StorageUnavailable, UPLOAD_SECONDS } from './storage.js';

const STAGING = 'staging/';
/** The time limit for one operation including retries, far below the lifetime of a claim on an upload. */
const OPERATION_MS = 60_000;

/**
 * Stores files in any S3-compatible storage. The storage rejects a PUT whose type or length is not the one that was
 * signed.
 */
export class S3Storage implements Storage {
  private readonly client: S3Client;
  private readonly bucket: string;

  constructor(
    config: S3Config,
    private readonly clock: Clock,
  ) {
    this.bucket = config.bucket;
    this.client = new S3Client({
      endpoint: config.endpoint,
      region: config.region,
      credentials: { accessKeyId: config.accessKeyId, secretAccessKey: config.secretAccessKey },
      forcePathStyle: true,
      // With the default setting, the signed URL would contain the checksum of an empty body.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
  }

  signPut({ key, contentType, contentLength }: SignedPut): Promise<string> {
    const command = new PutObjectCommand({
      Bucket: this.bucket,
      Key: STAGING + key,
      ContentType: contentType,
      ContentLength: contentLength,
    });
    // By default the SDK leaves the content type out of the signature.
    return getSignedUrl(this.client, command, {
      expiresIn: UPLOAD_SECONDS,
      signingDate: new Date(this.clock.now()),
      signableHeaders: new Set(['content-type', 'content-length', 'host']),
    });
  }

  async readStaged(key: string): Promise<Buffer | undefined> {
    try {
      const { Body, ContentLength } = await this.client.send(
        new GetObjectCommand({ Bucket: this.bucket, Key: STAGING + key }),
        withDeadline(),
      );
      if ((ContentLength ?? 0) > MAX_BYTES)
        throw new Error(`${key} has ${ContentLength} bytes; the maximum is ${MAX_BYTES}`);
      return Buffer.from(await Body!.transformToByteArray());
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined;
      throw new StorageUnavailable(error);
    }
  }

  async publish(key: string, bytes: Buffer, contentType: ImageType): Promise<void> {
    const command = new PutObjectCommand({
      Bucket: this.bucket,
      Key: key,
      Body: bytes,
      ContentType: contentType,
      ContentLength: bytes.length,
      ContentDisposition: 'inline',
      CacheControl: 'public, max-age=31536000, immutable',
    });
    await this.client.send(command, withDeadline()).catch(unavailable);
  }

  removeStaged(key: string): Promise<void> {
    return this.remove(STAGING + key);
  }

  async remove(key: string): Promise<void> {
    const command = new DeleteObjectCommand({ Bucket: this.bucket, Key: key });
    await this.client.send(command, withDeadline()).catch(unavailable);
  }

  async check(): Promise<void> {
    await this.client.send(new HeadBucketCommand({ Bucket: this.bucket }), withDeadline());
  }
}

function withDeadline(): { abortSignal: AbortSignal } {
  return { abortSignal: AbortSignal.timeout(OPERATION_MS) };
}

function unavailable(error: unknown): never {
  throw new StorageUnavailable(error);
}
