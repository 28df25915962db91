import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, hasExited, until } from '../../../server/test/support/process.js';

export interface Program {
  child: ChildProcess;
  output(): string;
  /** Resolves to the exit code, or to null if a signal killed the program. */
  ended(): Promise<number | null>;
}

// Programs that a failed test did not stop are killed when the test process exits.
const children = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** Saves the code as a file in the folder and runs it there. */
export function startProgram(
  folder: string,
  name: string,
  code: string,
  env: Record<string, string>,
): Program {
  const file = join(folder, name);
  writeFileSync(file, code);
  return startProcess(process.execPath, [file], folder, env);
}

export function startProcess(
  command: string,
  args: string[],
  folder: string,
  env: Record<string, string>,
): Program {
  const child = spawn(command, args, { cwd: folder, env: { PATH: process.env.PATH ?? '', ...env } });
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
    ended: async () => (hasExited(child) ? child.exitCode : (await once(child, 'exit'))[0]),
  };
}

/** Starts a program on a free port, lets `use` send requests to it, then stops it and returns its output. */
export async function whileListening(
  start: (port: string) => Program,
  use: (url: string) => Promise<void>,
): Promise<string> {
  const port = String(await freePort());
  const { child, output, ended } = start(port);
  const url = `http://127.0.0.1:${port}`;
  try {
    await until(async () => {
      if (hasExited(child)) throw new Error(`the program ended:\n${output()}`);
      return (await fetch(`${url}/nothing`, { method: 'POST' }).catch(() => undefined)) !== undefined;
    });
    await use(url);
  } finally {
    child.kill();
    await ended();
  }
  return output();
}
