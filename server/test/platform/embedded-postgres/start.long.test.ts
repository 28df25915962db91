import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
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
import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../src/platform/embedded-postgres/start.ts';
import { memoryOrDisk } from '../../support/memory-or-disk.ts';

const root = process.getuid?.() === 0;
const unprivileged = root ? { uid: 65534, gid: 65534 } : {};
const server = join(import.meta.dirname, '..', '..', '..');
const compiled = join(server, 'dist', 'platform', 'embedded-postgres');
const platformPackage = `@embedded-postgres/${process.platform}-${process.arch}`;

const folders: string[] = [];
const children: ChildProcess[] = [];

/** A folder shared by all tests that do not need a new one, because initdb takes about a second. */
let shared: string;

/** A folder that every account can enter, with Node and the pg package. The test installations are created in it. */
let base: string;

beforeAll(async () => {
  shared = openFolder();
  await (await startEmbeddedPostgres({ folder: shared })).close();
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const folder of folders) await stopped(placeOf(folder));
});

afterAll(async () => {
  // The external locations are removed first, because the data folders contain their names.
  for (const path of [...folders.map(placeOf), ...folders]) await rm(path, { recursive: true, force: true });
});

describe('the embedded PostgreSQL', () => {
  it('stops when the only process that uses it is killed, and the next start sees the committed row', async () => {
    const user = await startUser({ folder: shared });
    await query(user.connection, 'create table kept as select 42 as answer');
    const pid = postmasterPid(shared);
    user.process.kill('SIGKILL');
    await expect.poll(() => isAlive(pid), { timeout: 60_000 }).toBe(false);
    await stopped(placeOf(shared));

    const next = await startEmbeddedPostgres({ folder: shared });
    expect(next.started).toBe(true);
    expect(await query(next.connection, 'select answer from kept')).toEqual([{ answer: 42 }]);
    await next.close();
  });

  it('is shared by two processes that start at the same time in a new folder', async () => {
    const folder = openFolder();
    const users = await Promise.all([startUser({ folder }), startUser({ folder })]);
    expect(users.map((user) => user.started).sort()).toEqual([false, true]);
    const [first, second] = users.map((user) => user.connection);
    await query(first!, 'create table seen_by_both ()');
    await query(second!, 'select from seen_by_both');
    expect(readdirSync(placeOf(folder)).filter((name) => name.startsWith('initdb-'))).toEqual([]);
  });

  it('keeps running for a second process when the process that started it closes', async () => {
    const first = await startUser({ folder: shared });
    const second = await startEmbeddedPostgres({ folder: shared });
    expect([first.started, second.started]).toEqual([true, false]);
    const pid = postmasterPid(shared);
    await first.close();
    await query(second.connection, 'select 1');
    expect(postmasterPid(shared)).toBe(pid);
    await second.close();
  });

  it('has stopped when `close` returns in the last process that uses it', async () => {
    const only = await startEmbeddedPostgres({ folder: shared });
    const pid = postmasterPid(shared);
    await only.close();
    expect(isAlive(pid)).toBe(false);
    expect(readdirSync(placeOf(shared)).filter((name) => name.startsWith('users-'))).toEqual([]);
  });

  it('is taken over by the next process that uses it when its keeper was killed', async () => {
    const user = await startUser({ folder: shared });
    const pid = postmasterPid(shared);
    const keeper = parentOf(pid);
    process.kill(keeper, 'SIGKILL');
    await expect.poll(() => parentOf(pid), { timeout: 60_000 }).not.toBe(keeper);
    user.process.kill('SIGKILL');

    const heir = await startEmbeddedPostgres({ folder: shared });
    expect(postmasterPid(shared)).toBe(pid);
    await heir.close();
    expect(existsSync(join(placeOf(shared), 'data', 'postmaster.pid'))).toBe(false);
  });

  it('starts again while a process that used the killed server still runs', async () => {
    const user = await startUser({ folder: shared });
    const pid = postmasterPid(shared);
    process.kill(pid, 'SIGKILL');
    const next = await startEmbeddedPostgres({ folder: shared });
    await user.close();
    await query(next.connection, 'select 1');
    await next.close();
  });

  it('does not start with an invalid setting, and the error names the setting', async () => {
    await expect(startEmbeddedPostgres({ folder: shared, settings: { no_such: 'x' } })).rejects.toThrow(
      /unrecognized configuration parameter "no_such"/,
    );
  });
});

describe('an installation by another account', () => {
  beforeAll(() => {
    base = makeBase();
  });

  it('starts PostgreSQL for an ordinary user, even if the package is read-only and its symbolic links are missing', async () => {
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
    it('starts PostgreSQL for root, even if only root can enter the folders of the data and the binaries', async () => {
      const installed = install();
      // The package gets another version, so that this test does not use the copy of another installation.
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

interface User extends Omit<EmbeddedPostgres, 'close'> {
  process: ChildProcess;
  close(): Promise<void>;
}

/** Starts another process that uses the data folder until its standard input ends. */
async function startUser(options: { folder: string; installed?: string; account?: object }): Promise<User> {
  const entry = options.installed ? join(options.installed, 'embedded-postgres') : compiled;
  const script = `
    const { startEmbeddedPostgres } = await import(${JSON.stringify(join(entry, 'start.js'))});
    const { connection, started, close } = await startEmbeddedPostgres({ folder: process.argv[1] });
    console.log(JSON.stringify({ connection, started }));
    process.stdin.on('end', close).resume();`;
  const child = spawn(
    options.installed ? join(base, 'node') : process.execPath,
    ['--input-type=module', '-e', script, options.folder],
    { cwd: '/', stdio: ['pipe', 'pipe', 'pipe'], ...options.account },
  );
  children.push(child);
  let complaint = '';
  child.stderr.on('data', (text) => {
    complaint += text;
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  for await (const line of createInterface(child.stdout)) {
    const close = () => {
      child.stdin.end();
      return ended;
    };
    return { process: child, ...JSON.parse(line), close };
  }
  await ended;
  throw new Error(complaint);
}

/** Creates a folder that every account can enter. */
function openFolder(parent = memoryOrDisk()): string {
  const folder = mkdtempSync(join(parent, 'feira-pg-'));
  chmodSync(folder, 0o755);
  folders.push(folder);
  return folder;
}

function makeBase(): string {
  // On disk, because a container's /dev/shm is often mounted noexec.
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

function placeOf(folder: string): string {
  const id = join(folder, 'postgres-id');
  return existsSync(id) ? join('/var/lib/feira', readFileSync(id, 'utf8')) : join(folder, 'postgres');
}

function postmasterPid(folder: string): number {
  return Number.parseInt(readFileSync(join(placeOf(folder), 'data', 'postmaster.pid'), 'utf8'), 10);
}

function stopped(location: string): Promise<void> {
  const remains = () => existsSync(join(location, 'data', 'postmaster.pid'));
  return expect.poll(remains, { timeout: 60_000, message: `PostgreSQL stops in ${location}` }).toBe(false);
}

function parentOf(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'ppid=', '-p', String(pid)]));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function query(connection: EmbeddedPostgres['connection'], statement: string): Promise<unknown[]> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}
