import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasExited, until } from './process.js';

// The timeout only stops a run that hangs. It is long, because installing the packages takes minutes on a busy machine.
const PATIENCE_MS = 600_000;

/** A shell that runs blocks of commands in turn, as if pasted into a terminal. It ends when a command fails. */
export class ShellSession {
  private readonly shell: ChildProcess;
  private readonly background: { child: ChildProcess; ended: Promise<unknown> }[] = [];
  private text = '';
  private blocks = 0;

  constructor(
    private readonly name: 'bash' | 'zsh',
    private readonly folder: string,
    private readonly env: Record<string, string>,
  ) {
    this.shell = spawn(name, name === 'bash' ? ['--norc', '--noprofile'] : ['-f'], { cwd: folder, env });
    this.collect(this.shell);
    this.shell.stdin?.on('error', () => {});
    this.shell.stdin?.write('set -eo pipefail\n');
  }

  output(): string {
    return this.text;
  }

  /** Runs a block without standard input. Otherwise a command in it would read the following blocks. */
  async run(block: string): Promise<void> {
    const number = ++this.blocks;
    const file = join(this.folder, `block-${number}.sh`);
    writeFileSync(file, block);
    this.shell.stdin?.write(`. ${file} </dev/null\necho '<<done ${number}>>'\n`);
    await until(() => {
      if (hasExited(this.shell)) throw new Error(`${block}\nfailed:\n${this.text.slice(-3000)}`);
      return this.text.includes(`<<done ${number}>>`);
    }, PATIENCE_MS);
  }

  /** Runs a block in a separate shell until the session ends. */
  runInBackground(block: string): void {
    const { folder: cwd, env } = this;
    const child = spawn(this.name, ['-c', block], { cwd, env, detached: true });
    this.background.push({ child, ended: once(child, 'close') });
    this.collect(child);
  }

  /** Waits for each line of the expected output. "…" stands for any text. */
  async expect(lines: string): Promise<void> {
    for (const line of lines.split('\n').filter(Boolean)) {
      const pattern = new RegExp(line.split('…').map(escaped).join('.*'));
      try {
        await until(() => pattern.test(this.text), PATIENCE_MS);
      } catch {
        throw new Error(`"${line}" is not in the output:\n${this.text.slice(-3000)}`);
      }
    }
  }

  /**
   * Stops every process and waits until the output of the background shells is closed. It is not enough to wait for the
   * shells: the server that a shell started exits later, and may write files until it does.
   */
  async close(): Promise<void> {
    this.shell.stdin?.end();
    this.shell.kill('SIGTERM');
    for (const { child } of this.background) if (child.pid !== undefined) stopGroup(child.pid);
    await Promise.all(this.background.map(({ ended }) => ended));
  }

  private collect({ stdout, stderr }: ChildProcess): void {
    for (const stream of [stdout, stderr])
      stream?.on('data', (chunk) => {
        this.text += chunk;
      });
  }
}

/** Stops the shell and everything that it started. */
function stopGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGTERM');
  } catch {
    // The group has already exited.
  }
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
