// This loader lets Node 20 run the TypeScript of the guides. Node 22.18 and later can do that without help.
import { readFile } from 'node:fs/promises';
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

if (isMainThread && !process.features.typescript) register(import.meta.url);

export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
  const { transformWithOxc } = await import('vite');
  const { code } = await transformWithOxc(await readFile(new URL(url), 'utf8'), url);
  return { format: 'module', source: code, shortCircuit: true };
}
