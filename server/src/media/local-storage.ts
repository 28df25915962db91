import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { access, constants, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../platform/clock.js';
import type { Signer } from '../platform/crypto/signer.js';
import { type SignedPut, type Storage, UPLOAD_SECONDS } from './storage.js';

/** Nothing else is ever taken or served: neither a file that is still being written nor one that somebody put there. */
export const KEY = /^product_images\/[0-9a-f-]{36}\/[A-Za-z0-9_-]{22,64}\.(jpg|png|webp|gif)$/;

/** Files in a folder, behind an address of our own that is signed as S3 would sign it. */
export class LocalStorage implements Storage {
  readonly published: string;
  private readonly staged: string;

  constructor(
    folder: string,
    private readonly uploadUrl: string,
    private readonly signer: Signer,
    private readonly clock: Clock,
  ) {
    this.published = join(folder, 'files');
    this.staged = join(folder, 'staging');
  }

  async signPut(upload: SignedPut): Promise<string> {
    const expires = Math.floor(this.clock.now() / 1000) + UPLOAD_SECONDS;
    const { key, contentType, contentLength } = upload;
    const signed = [key, contentType, String(contentLength), String(expires)];
    const signature = this.signer.sign('upload', ...signed);
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
    const signed = [put.key, put.contentType, put.contentLength, put.expires];
    if (!KEY.test(put.key) || !this.signer.verify('upload', put.signature, ...signed)) return 'mismatch';
    return Number(put.expires) * 1000 < this.clock.now() ? 'expired' : 'ok';
  }

  /** Written beside, flushed and then renamed: a broken upload leaves nothing, a finished one survives a power cut. */
  async stage(key: string, bytes: Readable): Promise<void> {
    await this.write(join(this.staged, key), (file) => pipeline(bytes, createWriteStream(file)));
  }

  async readStaged(key: string): Promise<Buffer | undefined> {
    return readFile(join(this.staged, key)).catch(nothingThere);
  }

  async publish(key: string, bytes: Buffer): Promise<void> {
    await this.write(join(this.published, key), (file) => pipeline([bytes], createWriteStream(file)));
  }

  async removeStaged(key: string): Promise<void> {
    await this.erase(join(this.staged, key));
  }

  async remove(key: string): Promise<void> {
    await this.erase(join(this.published, key));
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

  /** With what a process that died while it wrote has left behind; what is being written now is younger. */
  private async erase(path: string): Promise<void> {
    await rm(path, { force: true });
    for (const name of (await readdir(dirname(path)).catch(nothingThere)) ?? []) {
      if (!name.startsWith(`${basename(path)}.`)) continue;
      const half = join(dirname(path), name);
      const written = (await stat(half).catch(nothingThere))?.mtimeMs;
      if (written !== undefined && this.clock.now() - written > UPLOAD_SECONDS * 1000)
        await rm(half, { force: true });
    }
  }
}

function nothingThere(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
