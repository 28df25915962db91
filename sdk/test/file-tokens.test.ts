import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../server/test/support/process.js';
import { FileTokens } from '../src/node/file-tokens.js';

test('a file of tokens that cannot be replaced leaves no copy of the tokens behind', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder.path, 'store.json'));
  const tokens = {
    accessToken: 'access',
    refreshToken: 'refresh',
    expiresAt: '2030-01-01T00:00:00Z',
    scope: '',
  };
  await expect(new FileTokens(folder.path).set('store', tokens)).rejects.toThrow();
  expect(readdirSync(folder.path)).toEqual(['store.json']);
  folder.remove();
});
