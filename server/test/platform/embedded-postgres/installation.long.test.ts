import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  compiled,
  folders,
  openFolder,
  placeOf,
  postmasterPid,
  query,
  sharedFolder,
  startUser,
} from '../../support/embedded-postgres.js';

const root = process.getuid?.() === 0;
const unprivileged = root ? { uid: 65534, gid: 65534 } : {};
const server = join(import.meta.dirname, '..', '..', '..');
const platformPackage = `@embedded-postgres/${process.platform}-${process.arch}`;

const shared = sharedFolder();

/** A folder that every account can enter, with Node and the pg package. The test installations are created in it. */
let base: string;

describe('an installation', () => {
  beforeAll(() => {
    base = makeBase();
  });

  it('starts PostgreSQL for an ordinary user who cannot write to the package, even if its symbolic links are missing', async () => {
    const installed = install();
    removeLinks(installed);
    const folder = openFolder();
    if (root) chownSync(folder, 65534, 65534);
    else makeReadOnly(join(installed, 'node_modules', platformPackage, 'native', 'lib'));
    const user = await startUser({ folder, installed, account: unprivileged });
    expect(await query(user.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(linksOf(installed)).toEqual([]);
    await user.close();
  });

  it('gets its missing symbolic links at the first start if the package is writable', async () => {
    const installed = install();
    const before = removeLinks(installed);
    const user = await startUser({ folder: shared, installed });
    expect(linksOf(installed)).toEqual(before);
    await user.close();
  });

  it('fails with an error that names DATABASE_URL when the package is missing', async () => {
    await expect(startUser({ folder: shared, installed: install([]) })).rejects.toThrow(/Set DATABASE_URL/);
  });

  if (root) {
    it('run by root starts PostgreSQL under another account, even if only root can enter the data folder and the folder of the binaries', async () => {
      const installed = install();
      // The package gets another version, so that this test does not use binaries that another installation copied.
      const manifest = join(installed, 'node_modules', platformPackage, 'package.json');
      const version = `0.0.0-test.${process.pid}`;
      writeFileSync(manifest, JSON.stringify({ ...JSON.parse(readFileSync(manifest, 'utf8')), version }));
      chmodSync(installed, 0o700);
      const copy = `/var/lib/feira/binaries-${version}`;
      folders.push(copy);
      const folder = join(installed, 'data');
      folders.push(folder);

      const user = await startUser({ folder, installed });
      expect(placeOf(folder)).toMatch(/^\/var\/lib\/feira\/[0-9a-f]{32}$/);
      expect(
        execFileSync('ps', ['-o', 'uid=,args=', '-p', String(postmasterPid(folder))]).toString(),
      ).toMatch(new RegExp(`^ *65534 ${copy}/`));
      await query(user.connection, 'create table kept ()');
      await user.close();
      const again = await startUser({ folder, installed });
      await query(again.connection, 'select from kept');
      await again.close();
    });
  }
});

function makeBase(): string {
  // The folder is on disk, because a container's /dev/shm is often mounted noexec.
  const folder = openFolder(tmpdir());
  copyFileSync(process.execPath, join(folder, 'node'));
  chmodSync(join(folder, 'node'), 0o755);
  for (const dependency of closureOf('pg')) {
    cpSync(folderOf(dependency), join(folder, 'node_modules', dependency), { recursive: true });
  }
  return folder;
}

/** Installs the compiled launcher, by default with a copy of the platform package. */
function install(packages: string[] = [platformPackage]): string {
  const folder = mkdtempSync(join(base, 'install-'));
  chmodSync(folder, 0o755);
  cpSync(compiled, join(folder, 'embedded-postgres'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  for (const name of packages) {
    const copy = { recursive: true, verbatimSymlinks: true };
    cpSync(folderOf(name), join(folder, 'node_modules', name), copy);
  }
  return folder;
}

function closureOf(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  const manifest = JSON.parse(readFileSync(join(folderOf(name), 'package.json'), 'utf8'));
  for (const next of Object.keys(manifest.dependencies ?? {})) closureOf(next, found);
  return found;
}

function folderOf(name: string): string {
  const places = createRequire(join(server, 'package.json')).resolve.paths(name) ?? [];
  return places.map((location) => join(location, name)).find((folder) => existsSync(folder))!;
}

function makeReadOnly(folder: string): void {
  chmodSync(folder, 0o555);
  onTestFinished(() => chmodSync(folder, 0o755));
}

function removeLinks(installed: string): string[] {
  const links = linksOf(installed);
  expect(links).not.toEqual([]);
  for (const link of links) rmSync(link);
  return links;
}

function linksOf(installed: string): string[] {
  const native = join(installed, 'node_modules', platformPackage, 'native');
  return readdirSync(native, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isSymbolicLink())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
