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

/** The folder of the embedded PostgreSQL, the data folder inside it, and the account PostgreSQL runs under. */
export interface ClusterLocation {
  folder: string;
  data: string;
  /** Options for spawn. They are set only if we run as root, because PostgreSQL refuses to run as root. */
  account: { uid?: number; gid?: number };
}

const SHARED_FOLDER = '/var/lib/feira';
export const PORT = 5432;

const NOBODY_UID = 65534;

export function prepareLocation(folder: string): ClusterLocation {
  if (process.platform === 'win32') {
    throw new Error(
      'The embedded PostgreSQL does not run on Windows. Set DATABASE_URL to the URL of a PostgreSQL server (version 15 or later).',
    );
  }
  mkdirSync(folder, { recursive: true });
  const root = process.getuid?.() === 0;
  const chosen = root ? locationForRoot(realpathSync(folder)) : join(realpathSync(folder), 'postgres');
  mkdirSync(chosen, { recursive: true, mode: 0o700 });
  if (!root) refuseUnlessOurs(chosen);
  return { folder: chosen, data: join(chosen, 'data'), account: root ? accountOf(chosen) : {} };
}

/** Returns whether this FEIRA_DATA folder has a database, inside it or in /var/lib/feira. Creates nothing. */
export function hasDatabase(folder: string): boolean {
  const idFile = join(folder, 'postgres-id');
  try {
    const location = existsSync(idFile)
      ? join(SHARED_FOLDER, readOrMakeId(idFile))
      : join(folder, 'postgres');
    statSync(join(location, 'data'));
    return true;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    // The data belongs to another account, so we cannot look inside. The later attempt to use it reports the error.
    if (code === 'EACCES') return true;
    throw error;
  }
}

/** Returns whether the permissions of the folder and all its parents allow every account to enter. */
export function othersCanEnter(folder: string): boolean {
  for (let at = realpathSync(folder); ; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false;
    if (at === dirname(at)) return true;
  }
}

export function makeSharedFolder(): string {
  mkdirSync(SHARED_FOLDER, { recursive: true });
  // Whatever the umask is, the account of PostgreSQL must be able to pass through this folder, but not to list it.
  chmodSync(SHARED_FOLDER, 0o711);
  return SHARED_FOLDER;
}

export function makeSocketFolder(location: ClusterLocation): { folder: string; temporary: boolean } {
  const beside = join(location.folder, 'socket');
  // The kernel limits socket paths to 104 bytes (macOS) or 108 bytes (Linux), and PostgreSQL reads
  // unix_socket_directories as a list, in which commas and quotes have a special meaning.
  const fits = Buffer.byteLength(join(beside, `.s.PGSQL.${PORT}`)) < 100 && !/[",]/.test(beside);
  if (fits) mkdirSync(beside, { recursive: true, mode: 0o700 });
  const folder = fits ? beside : mkdtempSync(join(temporaryFolder(location), 'feira-'));
  changeOwner(location, folder);
  return { folder, temporary: !fits };
}

export function changeOwner(location: ClusterLocation, path: string): void {
  const { uid, gid } = location.account;
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}

/**
 * Existing data stays where it is even if permissions have changed, because a new location would look like an empty
 * database.
 */
function locationForRoot(folder: string): string {
  const inside = join(folder, 'postgres');
  const idFile = join(folder, 'postgres-id');
  if (!existsSync(idFile) && (existsSync(inside) || othersCanEnter(folder))) return inside;
  return join(makeSharedFolder(), readOrMakeId(idFile));
}

/**
 * The id is the name of the database's folder in /var/lib/feira. It is stored in the FEIRA_DATA folder, so that an
 * operator who deletes that folder gets an empty database.
 */
function readOrMakeId(file: string): string {
  if (!existsSync(file)) {
    const draft = `${file}.${randomBytes(4).toString('hex')}`;
    writeFileSync(draft, randomBytes(16).toString('hex'));
    try {
      // The draft is complete before it gets this name, and link fails if the name exists. So even if two
      // processes start for the first time concurrently, both read the same complete id.
      linkSync(draft, file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      rmSync(draft);
    }
  }
  const id = readFileSync(file, 'utf8').trim();
  if (!/^[0-9a-f]{32}$/.test(id))
    throw new Error(
      `${file} does not contain a database id. Restore it from a backup, or delete it to start with an empty database.`,
    );
  return id;
}

function refuseUnlessOurs(folder: string): void {
  const { uid } = statSync(folder);
  if (uid === process.getuid?.()) return;
  throw new Error(
    `${folder} belongs to another account (uid ${uid}). Run as that account or as root, or set FEIRA_DATA to another folder.`,
  );
}

/** If root uses data that an ordinary account created, the data stays with that account. */
function accountOf(folder: string): { uid: number; gid: number } {
  const { uid, gid } = statSync(folder);
  if (uid !== 0) return { uid, gid };
  chownSync(folder, NOBODY_UID, NOBODY_UID);
  return { uid: NOBODY_UID, gid: NOBODY_UID };
}

function temporaryFolder(location: ClusterLocation): string {
  return location.account.uid === undefined || othersCanEnter(tmpdir()) ? tmpdir() : '/tmp';
}
