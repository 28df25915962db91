import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';

const EXECUTABLE = process.env.CHROMIUM ?? '/usr/bin/chromium';

/**
 * Opens the system's Chromium with an empty profile and without background network traffic. Playwright disables the
 * cache from which browsers restore a page after Back; `keepsPages` enables it.
 */
export async function openBrowser(
  options: { keepsPages?: boolean } = {},
): Promise<BrowserContext & { end(): Promise<void> }> {
  const profile = mkdtempSync(join(tmpdir(), 'feira-chromium-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: EXECUTABLE,
    headless: true,
    ...(options.keepsPages && { ignoreDefaultArgs: ['--disable-back-forward-cache'] }),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  return Object.assign(context, {
    async end() {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  });
}
