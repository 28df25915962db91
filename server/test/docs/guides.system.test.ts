import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { GUIDES } from '../../src/docs/contents.js';
import { openBrowser } from '../support/browser.js';
import { blocksIn, openSession, repositoryIn, runBlocks } from '../support/guide.js';
import { freePort, type ServerProcess, startServer, temporaryFolder, until } from '../support/process.js';

let folder: ReturnType<typeof temporaryFolder>;
let server: ServerProcess;
let port: number;

beforeEach(async () => {
  folder = temporaryFolder();
  repositoryIn(folder.path);
  port = await freePort();
  const env = {
    PORT: String(port),
    PUBLIC_URL: `http://localhost:${port}`,
    FEIRA_DATA: join(folder.path, '.feira'),
  };
  server = await startServer(env);
  // The demo store is created after the server has started to respond.
  await until(() => server.output().includes('Feira is up.'));
});
afterEach(async () => {
  await server.stop('SIGTERM');
  folder.remove();
});

/** Signs in as the merchant of the demo store and approves the connection of the app. */
async function approve(address: string): Promise<void> {
  const demo = JSON.parse(readFileSync(join(folder.path, '.feira/demo.json'), 'utf8'));
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(address);
    await page.getByLabel('E-mail').fill(demo.email);
    await page.getByLabel('Password').fill(demo.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Connected. You can close this page.').waitFor();
  } finally {
    await browser.end();
  }
}

// The quickstart is left out: it installs the packages first and has its own test.
const inBash = GUIDES.filter((name) => name !== 'quickstart').map(
  (name) => ['bash', `docs/guides/${name}.md`] as const,
);

test.each([
  ...inBash,
  ['bash', 'README.md'],
  ['zsh', 'README.md'],
  ['zsh', 'docs/guides/products.md'],
  ['zsh', 'docs/guides/orders.md'],
] as const)('in %s, the code blocks of %s work as described', async (shell, file) => {
  const blocks = blocksIn(file).filter(
    ({ attributes }) => !('background' in attributes || 'test' in attributes),
  );
  const session = openSession(shell, folder.path, port);
  try {
    await runBlocks(blocks, session, { folder: folder.path, port, receiverPort: await freePort() }, approve);
    expect(session.output()).not.toMatch(/\bundefined\b/);
  } finally {
    await session.close();
  }
});
