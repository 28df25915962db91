import { type ChildProcess, fork, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { LoadOrder, LoadResult } from './load.js';
import type { Connection } from './seed.js';

const FEIRA = fileURLToPath(new URL('../../server/bin/feira.js', import.meta.url));
/** The options of Node with which `npm start` and the deployments run the server. */
const NODE_OPTIONS = ['--max-semi-space-size=4', '--v8-pool-size=1'];

/** Returns the arguments of Node that start the server. BENCH_NODE_OPTIONS adds more, for example for a profile. */
export function serveArguments(args: string[]): string[] {
  return [...NODE_OPTIONS, ...(process.env.BENCH_NODE_OPTIONS?.split(' ') ?? []), FEIRA, 'serve', ...args];
}

export interface Server {
  port: number;
  pid: number;
  /** The time from the spawn to the first response. */
  startMs: number;
  stop(): Promise<void>;
}

/**
 * Creates a folder in BENCH_FOLDER (default: the temporary folder of the system). It must be on a real disk: where
 * fsync does nothing, writes look too fast.
 */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(process.env.BENCH_FOLDER ?? tmpdir(), 'feira-bench-'));
  // If the benchmark runs as root, PostgreSQL runs under another account, which must be able to enter the folder.
  chmodSync(folder, 0o711);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function startHello(): Promise<Server> {
  return start((port) => [[fileURLToPath(new URL('./hello.js', import.meta.url)), String(port)], {}], '/');
}

export function startBareDatabase({ host, database, user }: Connection): Promise<Server> {
  const program = fileURLToPath(new URL('./bare-database.js', import.meta.url));
  return start((port) => [[program, String(port), host, database, user], {}], '/healthz');
}

/** Starts Feira as users do. Its log goes to a file, as it would under a service manager. */
export function startFeira(folder: string, databaseUrl?: string): Promise<Server> {
  const log = openSync(join(folder, 'feira.log'), 'a');
  return start(
    (port) => [
      serveArguments(['--port', String(port)]),
      {
        FEIRA_DATA: folder,
        LOG_LEVEL: 'info',
        // Makes Feira use X-Forwarded-For, so that checkouts can come from many addresses.
        TRUSTED_PROXIES: '127.0.0.1',
        PUBLIC_URL: `http://localhost:${port}`,
        ...(databaseUrl && { DATABASE_URL: databaseUrl, FEIRA_SECRET: randomBytes(32).toString('hex') }),
      },
    ],
    '/healthz',
    log,
  );
}

/** Returns the current and the maximum resident memory of a process in MB. Returns undefined if not on Linux. */
export function memoryOf(pid: number): { now: number; peak: number } | undefined {
  if (process.platform !== 'linux') return undefined;
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const megabytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
  return { now: megabytes('VmRSS'), peak: megabytes('VmHWM') };
}

export class LoadProcess {
  private readonly child = fork(fileURLToPath(new URL('./load.js', import.meta.url)), {
    serialization: 'advanced',
  });

  async run(order: LoadOrder): Promise<LoadResult> {
    const answer = new Promise<LoadResult | { error: string }>((resolve, reject) => {
      this.child.once('message', resolve);
      this.child.once('exit', () => reject(new Error('the load generator exited')));
    });
    this.child.send(order);
    const result = await answer;
    this.child.removeAllListeners('exit');
    if ('error' in result) throw new Error(result.error);
    return result;
  }

  stop(): void {
    this.child.disconnect();
  }
}

const START_TIMEOUT_MS = 60_000;

async function start(
  command: (port: number) => [string[], NodeJS.ProcessEnv],
  probe: string,
  log?: number,
): Promise<Server> {
  const port = await freePort();
  const [args, env] = command(port);
  const begun = performance.now();
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', log ?? 'ignore', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  process.once('exit', () => child.kill('SIGKILL'));
  while (!(await answers(port, probe))) {
    if (child.exitCode !== null) throw new Error(`${args.join(' ')} exited with code ${child.exitCode}`);
    if (performance.now() - begun > START_TIMEOUT_MS) throw new Error(`${args.join(' ')} does not respond`);
    await delay(10);
  }
  return {
    port,
    pid: child.pid as number,
    startMs: performance.now() - begun,
    stop: () => stop(child, ended),
  };
}

async function stop(child: ChildProcess, ended: Promise<void>): Promise<void> {
  child.kill('SIGTERM');
  await ended;
}

async function answers(port: number, path: string): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
