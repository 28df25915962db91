#!/usr/bin/env node
// Plain JavaScript, because npm links this file before anything is built. Builds on the first use.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const main = new URL('../dist/main.js', import.meta.url);

if (!existsSync(main)) {
  const server = fileURLToPath(new URL('..', import.meta.url));
  const built = spawnSync('npx', ['--no-install', 'tsc', '-b', server], {
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (built.status !== 0) {
    process.stderr.write('feira: the build failed; run "npm ci" in the repository first\n');
    process.exit(1);
  }
}

const { main: run } = await import(main.href);
await run(process.argv.slice(2));
