import type { ImageType } from './image-types.js';

export interface SignedPut {
  key: string;
  contentType: ImageType;
  contentLength: number;
}

export const UPLOAD_SECONDS = 300;

/**
 * Where files are. An upload goes to a staging place of its key; only bytes that were verified are published under the
 * key itself, so whatever is put to the address afterwards changes nothing that is served.
 */
export interface Storage {
  /** An address that takes one PUT of exactly this type and length, for five minutes. */
  signPut(upload: SignedPut): Promise<string>;
  /** What was uploaded; undefined when nothing was. */
  readStaged(key: string): Promise<Buffer | undefined>;
  publish(key: string, bytes: Buffer, contentType: ImageType): Promise<void>;
  removeStaged(key: string): Promise<void>;
  remove(key: string): Promise<void>;
  /** Throws when the storage cannot be used now. */
  check(): Promise<void>;
}
