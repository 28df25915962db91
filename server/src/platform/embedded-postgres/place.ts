import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Where PostgreSQL keeps everything it writes, and the account it runs under. */
export interface Place {
  folder: string;
  data: string;
  /** Options for spawn: empty unless we are root, because PostgreSQL refuses to run as root. */
  account: { uid?: number; gid?: number };
}

export const SHARED_FOLDER = '/var/lib/feira';
export const PORT = 5432;

const NOBODY = 65534;

export function preparePlace(folder: string): Place {
  if (process.platform === 'win32') {
    throw new Error(
      'The embedded PostgreSQL does not run on Windows: set DATABASE_URL to a PostgreSQL 15 or later.',
    );
  }
  mkdirSync(folder, { recursive: true });
  const root = process.getuid?.() === 0;
  const chosen = root ? placeForRoot(realpathSync(folder)) : join(realpathSync(folder), 'postgres');
  mkdirSync(chosen, { recursive: true, mode: 0o700 });
  if (!root) refuseUnlessOurs(chosen);
  return { folder: chosen, data: join(chosen, 'data'), account: root ? accountOf(chosen) : {} };
}

/** Whether a first start has filled this folder. Creates nothing. */
export function hasDatabase(folder: string): boolean {
  const idFile = join(folder, 'postgres-id');
  try {
    const place = existsSync(idFile) ? join(SHARED_FOLDER, readOrMakeId(idFile)) : join(folder, 'postgres');
    statSync(join(place, 'data'));
    return true;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    // Data of another account cannot be seen; opening it explains that.
    if (code === 'EACCES') return true;
    throw error;
  }
}

/** A mode says it for every account alike, so no process has to be started to find out. */
export function othersCanEnter(folder: string): boolean {
  for (let at = realpathSync(folder); ; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false;
    if (at === dirname(at)) return true;
  }
}

export function makeSharedFolder(): string {
  mkdirSync(SHARED_FOLDER, { recursive: true });
  // Whatever the umask: the account must pass through, and needs to list nothing.
  chmodSync(SHARED_FOLDER, 0o711);
  return SHARED_FOLDER;
}

export function makeSocketFolder(place: Place): { folder: string; temporary: boolean } {
  const beside = join(place.folder, 'socket');
  // The kernel takes 104 to 108 bytes; a comma or a quote would be read as a list of folders.
  const fits = Buffer.byteLength(join(beside, `.s.PGSQL.${PORT}`)) < 100 && !/[",]/.test(beside);
  if (fits) mkdirSync(beside, { recursive: true, mode: 0o700 });
  const folder = fits ? beside : mkdtempSync(join(temporaryFolder(place), 'feira-'));
  giveTo(place, folder);
  return { folder, temporary: !fits };
}

export function giveTo(place: Place, path: string): void {
  const { uid, gid } = place.account;
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}

/** What exists is kept even when permissions have changed since: moving would look like an empty database. */
function placeForRoot(folder: string): string {
  const inside = join(folder, 'postgres');
  const idFile = join(folder, 'postgres-id');
  if (!existsSync(idFile) && (existsSync(inside) || othersCanEnter(folder))) return inside;
  return join(makeSharedFolder(), readOrMakeId(idFile));
}

/** The id lives in the folder, so that deleting the folder is still the way to an empty database. */
function readOrMakeId(file: string): string {
  if (!existsSync(file)) {
    const draft = `${file}.${randomBytes(4).toString('hex')}`;
    writeFileSync(draft, randomBytes(16).toString('hex'));
    try {
      // link refuses an existing name, so of two first starts one decides and neither reads half a file.
      linkSync(draft, file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      rmSync(draft);
    }
  }
  const id = readFileSync(file, 'utf8').trim();
  if (!/^[0-9a-f]{32}$/.test(id)) throw new Error(`${file} does not hold the id of a database.`);
  return id;
}

function refuseUnlessOurs(folder: string): void {
  const { uid } = statSync(folder);
  if (uid === process.getuid?.()) return;
  throw new Error(
    `${folder} belongs to another account (uid ${uid}): run as that account or as root, or set FEIRA_DATA to another folder.`,
  );
}

/** Data made by an ordinary user stays theirs when root comes by. */
function accountOf(folder: string): { uid: number; gid: number } {
  const { uid, gid } = statSync(folder);
  if (uid !== 0) return { uid, gid };
  chownSync(folder, NOBODY, NOBODY);
  return { uid: NOBODY, gid: NOBODY };
}

function temporaryFolder(place: Place): string {
  return place.account.uid === undefined || othersCanEnter(tmpdir()) ? tmpdir() : '/tmp';
}
