#!/usr/bin/env node
// This file is plain JavaScript, because npm links it before anything is built. When first run, it builds the server.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';

// All routes share the code of Fastify and of the API, so this code sees objects of more shapes than the 4 that V8
// optimizes for by default. With 8, the measured calls take 6 to 9% less CPU time (docs/decisions/0045).
setFlagsFromString('--max-valid-polymorphic-map-count=8');
// Collect garbage when the heap has grown by 50%. By default V8 lets it grow several times as much, and the process
// uses about 50 MB more. With 25%, reading lists of 1,000 stores took 37% more CPU time (docs/decisions/0045).
setFlagsFromString('--heap-growing-percent=50');
// By default, V8 collects all the garbage it can find once a process has been idle for 8 seconds. Afterwards requests
// take longer, even under load: a product read took 142 to 150 µs of Node instead of 134 to 141. With one hour, the
// usual pauses between calls have no such effect (docs/decisions/0045).
setFlagsFromString('--gc-memory-reducer-start-delay-ms=3600000');

// In Node 20, which has no navigator, pg creates a Response to find out where it runs. That loads Node's fetch and
// delays every start by 45 ms. Later releases of Node define navigator themselves.
globalThis.navigator ??= { userAgent: `Node.js/${process.versions.node.split('.')[0]}` };

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
