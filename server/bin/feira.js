#!/usr/bin/env node
// Plain JavaScript, because npm links this file before anything is built. Builds on the first use.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';

// Every route shares the steps of Fastify and of the API, so these steps see more kinds of objects than V8 optimizes
// for by default, which is 4. With 8, most calls take 5 to 9% less CPU time (docs/PERFORMANCE.md).
setFlagsFromString('--max-valid-polymorphic-map-count=8');
// Collect garbage when the heap has grown by a quarter. By default V8 lets it grow several times as much, and the
// process uses about 50 MB more.
setFlagsFromString('--heap-growing-percent=25');

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
