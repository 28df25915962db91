import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { blocksIn, openSession, runBlocks } from '../support/guide.js';
import { freePort, ROOT, temporaryFolder } from '../support/process.js';

// The timeout only stops a run that hangs. The test with its `npm ci` took three and a half minutes on a busy machine.
const PATIENCE_MS = 1_200_000;

/** Copies the files that Git does not ignore. As in a fresh clone, there are no packages, build output or data. */
function copyRepository(folder: string): void {
  const list = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  for (const file of list.toString().trim().split('\n')) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(ROOT, file), join(folder, file));
  }
}

test(
  'the commands of the quickstart lead from a fresh clone to verified events',
  async () => {
    const folder = temporaryFolder();
    copyRepository(folder.path);
    const port = await freePort();
    const session = openSession('bash', folder.path, port);
    try {
      const place = { folder: folder.path, port, receiverPort: await freePort() };
      await runBlocks(blocksIn('docs/guides/quickstart.md'), session, place);
      expect(session.output()).toContain('"status":"paid"');
    } finally {
      await session.close();
      folder.remove();
    }
  },
  PATIENCE_MS,
);
