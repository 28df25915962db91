import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../../src/platform/config.js';
import { temporaryFolder } from '../../support/process.js';

let folder: ReturnType<typeof temporaryFolder>;
let file: string;

beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder.path, 'secret');
});
afterEach(() => folder.remove());

const read = (env: Record<string, string> = {}) =>
  readConfig({ FEIRA_DATA: folder.path, DATABASE_URL: '', FEIRA_SECRET: '', ...env });

test('the first start writes a secret file that only its owner can read, and the next start reads it', () => {
  const { secrets } = read();
  expect(readFileSync(file, 'utf8').trim()).toBe(secrets[0]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(read().secrets).toEqual(secrets);
  expect(readdirSync(folder.path)).toEqual(['secret']);
});

function cutShort(): void {
  read();
  truncateSync(file, 31);
}

describe('a secret file', () => {
  test.each([
    ['that is empty', () => writeFileSync(file, ''), '0 bytes'],
    ['that was truncated', cutShort, '31 bytes'],
    ['that contains only spaces', () => writeFileSync(file, ' '.repeat(64)), '0 bytes'],
    ['of one repeated character', () => writeFileSync(file, 'a'.repeat(64)), 'repeated'],
  ])('%s is rejected and left unchanged', (_title, damage, reason) => {
    damage();
    const before = readFileSync(file);
    expect(() => read()).toThrow(reason);
    expect(() => read()).toThrow(file);
    expect(readFileSync(file)).toEqual(before);
  });
});

test.each(['FEIRA_SECRET', 'FEIRA_SECRET_PREVIOUS'])('%s is rejected when it is weak', (name) => {
  const good = 'one secret of thirty-two bytes or more';
  expect(() => read({ FEIRA_SECRET: good, [name]: 'short' })).toThrow(name);
  expect(() => read({ FEIRA_SECRET: good, [name]: 'x'.repeat(64) })).toThrow(name);
});

test('FEIRA_SECRET_PREVIOUS accepts several secrets separated by commas', () => {
  const [now, before, first] = ['current', 'previous', 'earliest'].map(
    (s) => `the ${s} secret of this server`,
  );
  const { secrets } = read({ FEIRA_SECRET: now!, FEIRA_SECRET_PREVIOUS: `${before}, ${first}` });
  expect(secrets).toEqual([now, before, first]);
});
