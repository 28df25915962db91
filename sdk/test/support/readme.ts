import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../../server/test/support/process.js';

export const README = readFileSync(join(ROOT, 'sdk/README.md'), 'utf8');

/** The JavaScript blocks of the README. Tests run each block separately. */
export const BLOCKS = [...README.matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code!);

/** Patterns of blocks that readme.long.test.ts does not run, because they need other software. Other tests run them. */
export const RUN_ELSEWHERE = {
  express: /from 'express'/,
  edge: /export default \{\n {2}async fetch/,
  redis: /from 'ioredis'/,
};

export function blockWith(pattern: RegExp): string {
  const found = BLOCKS.filter((code) => pattern.test(code));
  if (found.length !== 1) throw new Error(`expected one block with ${pattern}, found ${found.length}`);
  return found[0]!;
}
