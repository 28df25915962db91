import { Readable } from 'node:stream';
import { main } from '../../src/main.js';
import { type CommandResult, cleanEnv } from './process.js';

// A command reads the environment and writes to the output of the whole process, so only one runs at a time.
let running: Promise<unknown> = Promise.resolve();

/**
 * Runs the command line in this process, because starting a separate one takes a second of CPU time. Tests about
 * processes use `feiraCommand`, and tests that need a running server use `startServer`. Both start a separate process.
 */
export function runCommand(
  args: string[],
  env: Record<string, string>,
  { input = '', cwd = process.cwd() }: { input?: string; cwd?: string } = {},
): Promise<CommandResult> {
  const result = running.then(() => runAlone(args, env, input, cwd));
  running = result.catch(() => {});
  return result;
}

async function runAlone(
  args: string[],
  env: Record<string, string>,
  input: string,
  cwd: string,
): Promise<CommandResult> {
  const written = { stdout: '', stderr: '' };
  const before = { env: process.env, folder: process.cwd(), exitCode: process.exitCode };
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin')!;
  const restoreStdout = capture(process.stdout, (text) => {
    written.stdout += text;
  });
  const restoreStderr = capture(process.stderr, (text) => {
    written.stderr += text;
  });
  process.env = cleanEnv(env);
  process.exitCode = undefined;
  process.chdir(cwd);
  Object.defineProperty(process, 'stdin', { ...stdin, get: () => Readable.from([input]) });
  try {
    await main(args);
    return { code: Number(process.exitCode ?? 0), ...written };
  } finally {
    Object.defineProperty(process, 'stdin', stdin);
    process.chdir(before.folder);
    process.exitCode = before.exitCode;
    process.env = before.env;
    restoreStderr();
    restoreStdout();
  }
}

function capture(stream: NodeJS.WriteStream, keep: (text: string) => void): () => void {
  const { write } = stream;
  stream.write = ((chunk: string | Uint8Array) => {
    keep(String(chunk));
    return true;
  }) as typeof write;
  return () => {
    stream.write = write;
  };
}
