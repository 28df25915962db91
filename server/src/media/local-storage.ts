import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { access, constants, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../platform/clock.js';
import { type SignedPut, type Storage, UPLOAD_SECONDS } from './storage.js';

const KEY = /^product_images\/[0-9a-f-]{36}\/[A-Za-z0-9_-]{22,64}\.(jpg|png|webp|gif)$/;

/** Files in a folder, behind an address of our own that is signed as S3 would sign it. */
export class LocalStorage implements Storage {
  readonly published: string;
  private readonly staged: string;

  constructor(
    folder: string,
    private readonly uploadUrl: string,
    private readonly secret: string,
    private readonly clock: Clock,
  ) {
    this.published = join(folder, 'files');
    this.staged = join(folder, 'staging');
  }

  async signPut(upload: SignedPut): Promise<string> {
    const expires = Math.floor(this.clock.now() / 1000) + UPLOAD_SECONDS;
    const signature = this.sign(
      upload.key,
      upload.contentType,
      String(upload.contentLength),
      String(expires),
    );
    return `${this.uploadUrl}/${upload.key}?${new URLSearchParams({ expires: String(expires), signature })}`;
  }

  /** Judges a PUT by what it really carries: any other type, length, key or expiry makes another signature. */
  judgePut(put: {
    key: string;
    contentType: string;
    contentLength: string;
    expires: string;
    signature: string;
  }): 'ok' | 'mismatch' | 'expired' {
    const expected = Buffer.from(this.sign(put.key, put.contentType, put.contentLength, put.expires));
    const given = Buffer.from(put.signature);
    if (!KEY.test(put.key) || given.length !== expected.length || !timingSafeEqual(given, expected))
      return 'mismatch';
    return Number(put.expires) * 1000 < this.clock.now() ? 'expired' : 'ok';
  }

  /** Written beside, flushed and then renamed: a broken upload leaves nothing, a finished one survives a power cut. */
  async stage(key: string, bytes: Readable): Promise<void> {
    await this.write(join(this.staged, key), (file) => pipeline(bytes, createWriteStream(file)));
  }

  async readStaged(key: string): Promise<Buffer | undefined> {
    return readFile(join(this.staged, key)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
  }

  async publish(key: string, bytes: Buffer): Promise<void> {
    await this.write(join(this.published, key), (file) => pipeline([bytes], createWriteStream(file)));
  }

  async removeStaged(key: string): Promise<void> {
    await rm(join(this.staged, key), { force: true });
  }

  async remove(key: string): Promise<void> {
    await rm(join(this.published, key), { force: true });
  }

  async check(): Promise<void> {
    await mkdir(this.published, { recursive: true });
    await access(this.published, constants.W_OK);
  }

  private async write(path: string, fill: (file: string) => Promise<void>): Promise<void> {
    await mkdir(dirname(path), { recursive: true });
    const temporary = `${path}.${randomBytes(6).toString('hex')}.part`;
    try {
      await fill(temporary);
      await flush(temporary);
      await rename(temporary, path);
      await flush(dirname(path));
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  private sign(key: string, contentType: string, contentLength: string, expires: string): string {
    const request = ['PUT', key, contentType, contentLength, expires].join('\n');
    return createHmac('sha256', this.secret).update(`upload\n${request}`).digest('hex');
  }
}

async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
