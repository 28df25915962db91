import { inject } from 'vitest';
import { type Feira, openFeira } from './feira.js';

let opened: Promise<Feira> | undefined;

/**
 * A server and database that test files of one Vitest worker share if they need nothing but their own stores, because
 * opening a server takes a third of a second of CPU time. A file opens its own with `openFeira` if it moves the clock,
 * runs background jobs, replaces components of the server, listens on a port, counts the rows of all stores, or inserts
 * thousands of rows.
 */
export function sharedFeira(): Promise<Feira> {
  // No test file closes it. Its database and files are removed at the end of the run.
  opened ??= openFeira({ dataFolder: inject('sharedFiles') });
  return opened;
}
