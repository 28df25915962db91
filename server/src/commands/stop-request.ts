import { startedByNpm } from '../platform/config.js';

const PARENT_CHECK_MS = 500;

/**
 * Resolves when the process should stop: after Ctrl-C, SIGTERM, or the exit of the npm process that started it.
 * (SIGTERM to `npm start` ends only npm and its shell, and this process would keep running.) A second signal ends the
 * process immediately.
 */
export function stopRequest(report: (why: string) => void): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    const ask = (why: string) => {
      if (asked) process.exit(1);
      asked = true;
      clearInterval(watch);
      report(why);
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
