import { ApiError } from '../platform/http/errors.js';
import type { ImageType } from './image-types.js';

export interface SignedPut {
  key: string;
  contentType: ImageType;
  contentLength: number;
}

export const UPLOAD_SECONDS = 300;

/**
 * Where files are kept. An upload goes to a staging place of its key; only verified bytes are published under the key
 * itself, so that a later PUT to the address changes nothing that is served. Operations throw StorageUnavailable when the
 * storage fails.
 */
export interface Storage {
  /** An address that accepts a PUT of exactly this type and length, for five minutes. */
  signPut(upload: SignedPut): Promise<string>;
  /** The uploaded bytes; undefined when nothing was uploaded. */
  readStaged(key: string): Promise<Buffer | undefined>;
  publish(key: string, bytes: Buffer, contentType: ImageType): Promise<void>;
  removeStaged(key: string): Promise<void>;
  remove(key: string): Promise<void>;
  /** Throws when the storage cannot be used now. */
  check(): Promise<void>;
}

/** The disk is full, or the storage does not answer. Not the fault of the caller, who should try again later. */
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
