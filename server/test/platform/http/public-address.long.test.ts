import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer, temporaryFolder } from '../../support/process.js';

let folder: ReturnType<typeof temporaryFolder>;

beforeAll(() => {
  folder = temporaryFolder();
  chmodSync(folder.path, 0o711);
});
afterAll(() => folder.remove());

test('a server with a public address creates no demo account and prints no secret', async () => {
  const env = { FEIRA_DATA: join(folder.path, 'public'), PUBLIC_URL: 'https://feira.example' };
  const server = await startServer(env);
  expect(await server.stop('SIGTERM')).toBe(0);
  expect(server.output()).not.toMatch(/demo|password|Bearer/i);
  expect(existsSync(join(env.FEIRA_DATA, 'demo.json'))).toBe(false);
});
