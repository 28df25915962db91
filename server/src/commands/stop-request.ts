import type { Logger } from 'pino';
import { startedByNpm } from '../platform/config.js';

const PARENT_CHECK_MS = 500;

/**
 * Resolves when somebody wants an end: Ctrl-C, SIGTERM, or the end of the npm that started us (a SIGTERM to `npm start`
 * ends npm and its shell and would leave this process behind). A second signal ends at once.
 */
export function stopRequest(log: Logger): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    const ask = (why: string) => {
      if (asked) process.exit(1);
      asked = true;
      clearInterval(watch);
      log.info({ why }, 'stopping');
      resolve();
    };
    process.on('SIGINT', () => ask('SIGINT'));
    process.on('SIGTERM', () => ask('SIGTERM'));
    const parent = process.ppid;
    const watch = setInterval(() => {
      if (startedByNpm() && process.ppid !== parent) ask('npm ended');
    }, PARENT_CHECK_MS).unref();
  });
}
