import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';

const EXECUTABLE = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** The system's Chromium with an empty profile and without background network traffic. */
export async function openBrowser(): Promise<BrowserContext & { end(): Promise<void> }> {
  const profile = mkdtempSync(join(tmpdir(), 'feira-chromium-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: EXECUTABLE,
    headless: true,
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
