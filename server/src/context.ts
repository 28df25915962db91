import type pg from 'pg';
import type { Logger } from 'pino';
import { Credentials } from './oauth/credentials.js';
import type { Budgets } from './platform/budgets/budgets.js';
import { DailyUploads } from './platform/budgets/daily-uploads.js';
import { InMemoryBudgets } from './platform/budgets/in-memory.js';
import { type Clock, systemClock } from './platform/clock.js';
import { clientSettings, type Database, openDatabase } from './platform/db.js';
import { Listener } from './platform/listen.js';
import { Sessions } from './stores/sessions.js';

/** What the domains share. Made once per process, handed down by app.ts and worker.ts. */
export interface Context {
  db: Database;
  clock: Clock;
  log: Logger;
  credentials: Credentials;
  budgets: Budgets;
  sessions: Sessions;
  dailyUploads: DailyUploads;
  publicUrl: string;
  mediaUrl: string;
  close(): Promise<void>;
}

export interface ContextOptions {
  connection: pg.ClientConfig;
  log: Logger;
  publicUrl: string;
  secret: string;
  clock?: Clock;
}

export async function openContext({
  connection,
  log,
  publicUrl,
  secret,
  clock = systemClock,
}: ContextOptions): Promise<Context> {
  const db = await openDatabase(connection);
  const listener = new Listener(clientSettings(connection));
  const credentials = new Credentials(db, clock, listener);
  const dailyUploads = new DailyUploads(db, clock);
  const budgets = new InMemoryBudgets(clock, dailyUploads);
  await listener.start();
  return {
    db,
    clock,
    log,
    credentials,
    budgets,
    sessions: new Sessions(db, clock, secret, publicUrl),
    dailyUploads,
    publicUrl,
    mediaUrl: `${publicUrl}/media`,
    async close() {
      budgets.close();
      await listener.close();
      await db.close();
    },
  };
}
