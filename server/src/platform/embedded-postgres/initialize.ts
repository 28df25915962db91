import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Binaries } from './binaries.js';
import { USER } from './database.js';
import { ENVIRONMENT } from './keeper.js';
import type { ClusterLocation } from './location.js';

/**
 * Creates the cluster in a temporary folder and renames the folder when it is complete. A first start that is killed,
 * or that runs at the same time as another, therefore never leaves an incomplete data folder.
 */
export async function initializeData(location: ClusterLocation, binaries: Binaries): Promise<void> {
  if (!existsSync(location.data)) {
    const draft = join(location.folder, `initdb-${randomBytes(4).toString('hex')}`);
    try {
      await initdb(location, binaries, draft);
      renameSync(draft, location.data);
    } catch (error) {
      if (!existsSync(location.data)) throw error;
    }
  }
  removeDrafts(location);
}

async function initdb(location: ClusterLocation, binaries: Binaries, folder: string): Promise<void> {
  const args = ['-D', folder, '-U', USER, '-A', 'trust', '-E', 'UTF8', '--no-instructions'];
  // The builtin locale makes the sort order and case conversion independent of the operating system.
  const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  try {
    // The account that runs initdb may not be able to enter the current directory of this process.
    await promisify(execFile)(binaries.initdb, [...args, ...locale], {
      cwd: location.folder,
      env: ENVIRONMENT,
      ...location.account,
    });
  } catch (cause) {
    const { message, stderr } = cause as Error & { stderr?: string };
    throw new Error(
      `The embedded PostgreSQL could not create its data in ${location.folder}. ` +
        `Set DATABASE_URL to use another PostgreSQL. Output: ${stderr || message}`,
      { cause },
    );
  }
}

/**
 * Removes the incomplete clusters of other starts, even of a start that is still running. The initdb of that start then
 * fails, and that start uses the finished cluster.
 */
function removeDrafts(location: ClusterLocation): void {
  for (const name of readdirSync(location.folder)) {
    if (!name.startsWith('initdb-')) continue;
    try {
      rmSync(join(location.folder, name), { recursive: true, force: true });
    } catch {
      // The other start is still adding files, so its folder could not be removed. The next launch tries again.
    }
  }
}
