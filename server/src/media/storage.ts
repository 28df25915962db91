import { ApiError } from '../platform/http/errors.js';
import type { ImageType } from './image-types.js';

export interface SignedPut {
  key: string;
  contentType: ImageType;
  contentLength: number;
}

export const UPLOAD_SECONDS = 300;

/**
 * Storage for files. Uploads go to a staging location. Only verified bytes are published under the key itself, so a
 * later PUT to the upload URL does not change the published file. Operations other than `check` throw
 * StorageUnavailable if the storage fails.
 */
export interface Storage {
  /** Returns a URL that accepts a PUT of exactly this type and length for five minutes. */
  signPut(upload: SignedPut): Promise<string>;
  /** Returns the uploaded bytes, or undefined if nothing was uploaded. */
  readStaged(key: string): Promise<Buffer | undefined>;
  publish(key: string, bytes: Buffer, contentType: ImageType): Promise<void>;
  removeStaged(key: string): Promise<void>;
  remove(key: string): Promise<void>;
  /** Throws if the storage is unavailable. */
  check(): Promise<void>;
}

/** The storage failed, for example because the disk is full. The caller should try again later. */
export class StorageUnavailable extends ApiError {
  constructor(
    cause: unknown,
    readonly isFull = false,
  ) {
    super(
      503,
      'storage_unavailable',
      'The image storage is unavailable. Nothing was changed. Retry with exponential backoff.',
      {
        headers: { 'Retry-After': '5' },
        cause,
      },
    );
  }
}
