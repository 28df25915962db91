import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const FEIRA = join(ROOT, 'server/bin/feira.js');
const START_MS = 90_000;

export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the real command line in a separate process, with `input` on its standard input. */
export function feiraCommand(
  args: string[],
  env: Record<string, string>,
  { input = '', cwd }: { input?: string; cwd?: string } = {},
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const options = { env: cleanEnv(env), ...(cwd !== undefined && { cwd }) };
    const child = execFile(process.execPath, [FEIRA, ...args], options, (error, stdout, stderr) => {
      const code = error ? error.code : 0;
      // A command that was killed by a signal or could not be started has no exit code.
      if (typeof code === 'number') resolve({ code, stdout, stderr });
      else reject(new Error(`the command failed (${error?.signal ?? code}):\n${stderr}`));
    });
    // A command that reads no input may exit before the input is written.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

export interface CommandProcess {
  child: ChildProcess;
  output(): string;
  /** Sends the signal and waits for the exit. Returns the exit code, or the signal that ended the process. */
  stop(signal: NodeJS.Signals): Promise<number | string>;
}

export interface ServerProcess extends CommandProcess {
  url: string;
}

// Commands that a failed test did not stop are killed when the test process exits.
const children = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** Starts a command that runs until it is stopped. */
export function startCommand(args: string[], env: Record<string, string>): CommandProcess {
  const child = spawn(process.execPath, [FEIRA, ...args], { env: cleanEnv(env) });
  children.add(child);
  child.once('exit', () => children.delete(child));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  return {
    child,
    output: () => output,
    async stop(signal) {
      if (!hasExited(child)) {
        const ended = once(child, 'exit');
        child.kill(signal);
        await ended;
      }
      return child.exitCode ?? (child.signalCode as string);
    },
  };
}

/** Returns whether a process has exited. A process that was killed by a signal has no exit code. */
export function hasExited({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** Starts the real server in a separate process and returns once it is ready. */
export async function startServer(env: Record<string, string>, args: string[] = []): Promise<ServerProcess> {
  const port = env.PORT ?? String(await freePort());
  const server = startCommand(['serve', ...args], {
    PORT: port,
    PUBLIC_URL: `http://localhost:${port}`,
    ...env,
  });
  const url = `http://127.0.0.1:${port}`;
  await until(async () => {
    if (hasExited(server.child)) throw new Error(`the server ended:\n${server.output()}`);
    return (await fetch(`${url}/readyz`).catch(() => undefined))?.status === 200;
  }, START_MS);
  return { ...server, url };
}

/** Polls until the condition is true. */
export async function until(condition: () => Promise<boolean> | boolean, withinMs = 90_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`the condition was not met within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

export function temporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'feira-test-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Tests use ports below those that the kernel assigns to outgoing connections. Each test worker has its own range. */
const FIRST_PORT = 12_000;
const PORTS_PER_WORKER = 2_000;
const firstOfWorker = FIRST_PORT + (Number(process.env.VITEST_POOL_ID ?? 0) % 10) * PORTS_PER_WORKER;
// Counting starts at a random port, so that two test runs on one machine most likely use different ports.
let portsUsed = Math.floor(Math.random() * PORTS_PER_WORKER);

/** Returns a port on which nothing listens and which no other test of this run gets at the same time. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = firstOfWorker + (portsUsed++ % PORTS_PER_WORKER);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}

/** Returns the environment for a command: the given variables, this process's PATH and HOME, and a PUBLIC_URL. */
export function cleanEnv(env: Record<string, string>): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME, PUBLIC_URL: 'http://localhost:3000', ...env };
}
