import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/embedded-postgres/start.js';
import { memoryOrDisk } from './memory-or-disk.js';

const server = join(import.meta.dirname, '..', '..');
/** The folder with the compiled launcher of the embedded PostgreSQL. */
export const compiled = join(server, 'dist', 'platform', 'embedded-postgres');

/** The folders that `removeFolders` removes after the tests of a file. */
export const folders: string[] = [];
const children: ChildProcess[] = [];

interface EmbeddedUser extends Omit<EmbeddedPostgres, 'close'> {
  process: ChildProcess;
  close(): Promise<void>;
}

/**
 * Returns a data folder for all tests of a file, except those that need a new one. It is shared, because initdb takes
 * about a second. Registers the hooks that run initdb, kill the processes that a test leaves running, and remove all
 * folders.
 */
export function sharedFolder(): string {
  const folder = openFolder();
  beforeAll(async () => {
    await (await startEmbeddedPostgres({ folder })).close();
  });
  afterEach(killUsers);
  afterAll(removeFolders);
  return folder;
}

/**
 * Starts another process that uses the data folder until its standard input ends. `installed` is the folder of another
 * installation of the launcher, which runs with the copy of Node next to that folder.
 */
export async function startUser(options: {
  folder: string;
  installed?: string;
  account?: object;
}): Promise<EmbeddedUser> {
  const entry = options.installed ? join(options.installed, 'embedded-postgres') : compiled;
  const script = `
    const { startEmbeddedPostgres } = await import(${JSON.stringify(join(entry, 'start.js'))});
    const { connection, started, close } = await startEmbeddedPostgres({ folder: process.argv[1] });
    console.log(JSON.stringify({ connection, started }));
    process.stdin.on('end', close).resume();`;
  const child = spawn(
    options.installed ? join(dirname(options.installed), 'node') : process.execPath,
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

/** Kills the processes that `startUser` has started, and waits until their PostgreSQL has stopped. */
async function killUsers(): Promise<void> {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const folder of folders) await stopped(placeOf(folder));
}

async function removeFolders(): Promise<void> {
  // All locations of PostgreSQL files are looked up before anything is removed, because the data folders contain the
  // names of these locations.
  for (const path of [...folders.map(placeOf), ...folders]) await rm(path, { recursive: true, force: true });
}

/** Creates a folder that every account can enter. */
export function openFolder(parent = memoryOrDisk()): string {
  const folder = mkdtempSync(join(parent, 'feira-pg-'));
  chmodSync(folder, 0o755);
  folders.push(folder);
  return folder;
}

/** Returns the folder in which PostgreSQL keeps its files for this data folder of Feira. */
export function placeOf(folder: string): string {
  const id = join(folder, 'postgres-id');
  return existsSync(id) ? join('/var/lib/feira', readFileSync(id, 'utf8')) : join(folder, 'postgres');
}

export function postmasterPid(folder: string): number {
  return Number.parseInt(readFileSync(join(placeOf(folder), 'data', 'postmaster.pid'), 'utf8'), 10);
}

export function stopped(location: string): Promise<void> {
  const remains = () => existsSync(join(location, 'data', 'postmaster.pid'));
  return expect.poll(remains, { timeout: 60_000, message: `PostgreSQL stops in ${location}` }).toBe(false);
}

export async function query(
  connection: EmbeddedPostgres['connection'],
  statement: string,
): Promise<unknown[]> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}
