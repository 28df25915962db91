import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TokenSet, TokenStore } from '../tokens.js';
import { withFileLock } from './file-lock.js';
import { replaceFile } from './write-file.js';

/**
 * Stores one file per store, in a folder that only this account can read. If you use several machines, store tokens in
 * a database instead.
 */
export class FileTokens implements TokenStore {
  constructor(private readonly folder: string) {}

  async get(workspaceId: string): Promise<TokenSet | undefined> {
    try {
      return JSON.parse(await readFile(this.file(workspaceId), 'utf8')) as TokenSet;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  async set(workspaceId: string, tokens: TokenSet): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    await replaceFile(this.file(workspaceId), JSON.stringify(tokens), true);
  }

  lock<T>(workspaceId: string, work: () => Promise<T>): Promise<T> {
    return withFileLock(`${this.file(workspaceId)}.lock`, work);
  }

  private file(workspaceId: string): string {
    return join(this.folder, `${encodeURIComponent(workspaceId)}.json`);
  }
}
