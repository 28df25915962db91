import { chmodSync, createWriteStream, mkdirSync } from 'node:fs';
import { access, constants, readdir, readFile, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Clock } from '../platform/clock.js';
import type { Signer } from '../platform/crypto/signer.js';
import { WIDTHS, type Width } from './responsive.js';
import { type SignedPut, type Storage, UPLOAD_SECONDS } from './storage.js';
import { UploadAttempts } from './upload-attempts.js';
import { asStorageError, type CreateFile, FOLDER_MODE, writeDurably } from './write-durably.js';

/**
 * Only names of this form are accepted and served, so unrelated files and files that are still being written are never
 * exposed.
 */
export const KEY = /^product_images\/[0-9a-f-]{36}\/[A-Za-z0-9_-]{22,64}\.(jpg|png|webp|gif)$/;

/** Stores files in a folder. As with S3, the signature of an upload URL covers the key, type, length and expiry. */
export class LocalStorage implements Storage {
  readonly published: string;
  /** Tests replace this function with one that fails like a full disk. */
  createFile: CreateFile = createWriteStream;
  private readonly staged: string;
  private readonly variants: string;
  private readonly attempts: UploadAttempts;

  constructor(
    private readonly folder: string,
    private readonly uploadUrl: string,
    private readonly signer: Signer,
    private readonly clock: Clock,
  ) {
    this.published = join(folder, 'files');
    this.staged = join(folder, 'staging');
    this.variants = join(folder, 'variants');
    this.attempts = new UploadAttempts(clock);
  }

  async signPut(upload: SignedPut): Promise<string> {
    const expires = Math.floor(this.clock.now() / 1000) + UPLOAD_SECONDS;
    const { key, contentType, contentLength } = upload;
    const signed = [key, contentType, String(contentLength), String(expires)];
    const signature = this.signer.sign('upload', ...signed);
    return `${this.uploadUrl}/${upload.key}?${new URLSearchParams({ expires: String(expires), signature })}`;
  }

  /** Verifies the signature and the expiry of a PUT. If both are valid, the PUT counts toward the limit of its URL. */
  verifyPut(put: {
    key: string;
    contentType: string;
    contentLength: string;
    expires: string;
    signature: string;
  }): 'ok' | 'mismatch' | 'expired' | 'used up' {
    const signed = [put.key, put.contentType, put.contentLength, put.expires];
    if (!KEY.test(put.key) || !this.signer.verify('upload', put.signature, ...signed)) return 'mismatch';
    if (Number(put.expires) * 1000 < this.clock.now()) return 'expired';
    return this.attempts.count(put.key) ? 'ok' : 'used up';
  }

  /** Creates missing folders, and restricts access to existing ones, which earlier versions let other users read. */
  prepare(): void {
    for (const folder of [this.folder, this.published, this.staged, this.variants]) {
      mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
      chmodSync(folder, FOLDER_MODE);
    }
  }

  stage(key: string, bytes: Readable): Promise<void> {
    return writeDurably(join(this.staged, key), bytes, this.createFile);
  }

  async readStaged(key: string): Promise<Buffer | undefined> {
    return readFile(join(this.staged, key)).catch(undefinedIfMissing).catch(rethrow);
  }

  publish(key: string, bytes: Buffer): Promise<void> {
    return writeDurably(join(this.published, key), bytes, this.createFile);
  }

  async readPublished(key: string): Promise<Buffer | undefined> {
    return readFile(join(this.published, key)).catch(undefinedIfMissing).catch(rethrow);
  }

  async readVariant(key: string, width: Width): Promise<Buffer | undefined> {
    return readFile(this.variantOf(key, width)).catch(undefinedIfMissing).catch(rethrow);
  }

  /** Stores a resized image, and removes it again if its original was removed in the meantime. */
  async keepVariant(key: string, width: Width, bytes: Buffer): Promise<void> {
    await writeDurably(this.variantOf(key, width), bytes, this.createFile);
    if (!(await this.readPublished(key))) await rm(this.variantOf(key, width), { force: true });
  }

  private variantOf(key: string, width: Width): string {
    return join(this.variants, width, `${key}.webp`);
  }

  async removeStaged(key: string): Promise<void> {
    await this.erase(join(this.staged, key)).catch(rethrow);
  }

  async remove(key: string): Promise<void> {
    await this.erase(join(this.published, key)).catch(rethrow);
    for (const width of WIDTHS) await this.erase(this.variantOf(key, width)).catch(rethrow);
  }

  /**
   * Throws if the folder is not writable. If it is missing, the nearest existing folder above it is checked, because
   * missing folders are created when they are needed.
   */
  async check(folder = this.published): Promise<void> {
    try {
      await access(folder, constants.W_OK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      await this.check(dirname(folder));
    }
  }

  /**
   * Removes a file, and the temporary files of processes that died while writing it. A temporary file that changed in
   * the last five minutes is kept, because a process may still be writing it.
   */
  private async erase(path: string): Promise<void> {
    await rm(path, { force: true });
    for (const name of (await readdir(dirname(path)).catch(undefinedIfMissing)) ?? []) {
      if (!name.startsWith(`${basename(path)}.`)) continue;
      const half = join(dirname(path), name);
      const written = (await stat(half).catch(undefinedIfMissing))?.mtimeMs;
      if (written !== undefined && this.clock.now() - written > UPLOAD_SECONDS * 1000)
        await rm(half, { force: true });
    }
  }
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

function rethrow(error: unknown): never {
  throw asStorageError(error);
}
