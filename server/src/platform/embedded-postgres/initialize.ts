import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Binaries } from './binaries.js';
import { USER } from './database.js';
import { ENVIRONMENT } from './keeper.js';
import type { Place } from './place.js';

/** Made aside and renamed when complete: a first start that is killed, or has company, leaves no half of a cluster. */
export async function initializeData(place: Place, binaries: Binaries): Promise<void> {
  if (!existsSync(place.data)) {
    const draft = join(place.folder, `initdb-${randomBytes(4).toString('hex')}`);
    try {
      await initdb(place, binaries, draft);
      renameSync(draft, place.data);
    } catch (error) {
      if (!existsSync(place.data)) throw error;
    }
  }
  removeDrafts(place);
}

async function initdb(place: Place, binaries: Binaries, folder: string): Promise<void> {
  const args = ['-D', folder, '-U', USER, '-A', 'trust', '-E', 'UTF8', '--no-instructions'];
  // --locale names the messages and number formats too, which otherwise come from the environment.
  const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  try {
    // cwd, because ours may be one that the account cannot enter.
    await promisify(execFile)(binaries.initdb, [...args, ...locale], {
      cwd: place.folder,
      env: ENVIRONMENT,
      ...place.account,
    });
  } catch (cause) {
    const { message, stderr } = cause as Error & { stderr?: string };
    throw new Error(
      `The embedded PostgreSQL could not make its data in ${place.folder} ` +
        `(DATABASE_URL names another PostgreSQL to use instead): ${stderr || message}`,
      { cause },
    );
  }
}

/** Also those of a start that is still at work: it will find the data made, and use them. */
function removeDrafts(place: Place): void {
  for (const name of readdirSync(place.folder)) {
    if (!name.startsWith('initdb-')) continue;
    try {
      rmSync(join(place.folder, name), { recursive: true, force: true });
    } catch {
      // Files were added meanwhile; the next launch tries again.
    }
  }
}
