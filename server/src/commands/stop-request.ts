import type { Logger } from 'pino';
import { startedByNpm } from '../platform/config.js';

const PARENT_CHECK_MS = 500;

/**
 * Ctrl-C, SIGTERM, or the end of the npm that started us: a SIGTERM to `npm start` ends npm and its shell and would
 * leave this process behind. A second signal ends at once.
 */
export function onStopRequest(log: Logger, stop: () => Promise<void>): void {
  let asked = false;
  const ask = (why: string) => {
    if (asked) process.exit(1);
    asked = true;
    log.info({ why }, 'stopping');
    clearInterval(watch);
    stop().catch((error: unknown) => {
      log.error({ err: error }, 'stop failed');
      process.exit(1);
    });
  };
  process.on('SIGINT', () => ask('SIGINT'));
  process.on('SIGTERM', () => ask('SIGTERM'));
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid !== parent) ask('npm ended');
  }, PARENT_CHECK_MS);
  if (!startedByNpm()) clearInterval(watch);
}
