import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TokenSet, TokenStore } from '../tokens.js';
import { withFileLock } from './file-lock.js';
import { replaceFile } from './write-file.js';

/**
 * Stores the tokens of each store in a file of its own that only the current user of the operating system can read. The
 * files are not encrypted. If your app runs on several machines, store the tokens in a database instead.
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
