import type pg from 'pg';
import type { DatabaseDriver } from '../config.js';
import { Admission } from './admission.js';
import type { Connection } from './connection.js';
import { Fleet, type ProbeTimes } from './fleet.js';
import { connectPg } from './pg-connection.js';
import { connectPipeline } from './pipeline/pipeline-connection.js';
import { Pool } from './pool.js';
import { type ReadLimits, Reads } from './reads.js';
import type { Deadlines } from './settings.js';
import { Share } from './share.js';

export interface DatabaseOptions {
  driver?: DatabaseDriver | undefined;
  deadlines?: Partial<Deadlines> | undefined;
  /** Areas of a store that may fail without the rest of it, and how many connections each may use in all. */
  areas?: Readonly<Record<string, number>>;
}

/**
 * The one way to the database. Every statement names whose it is: a store's, or that of an internal task. Each of them
 * has its own share of the connections, so that a lock or a slow statement of one delays no other.
 */
export interface Database {
  /** Statements of one store. An area (orders) has shares of its own beside the rest of the store. */
  store(workspaceId: string, area?: string): Share;
  /** Searches of one store. All stores together have two connections for them, and each statement a short timeout. */
  search(workspaceId: string): Share;
  /** Statements that belong to no store: tokens, sessions, deliveries. */
  system(task: string): Share;
  /** Jobs: they may take long, and have a connection or two of their own. */
  background(task: string): Share;
  close(): Promise<void>;
}

/** Fewer than 25 connections per process, with the one that listens. */
const READS: Omit<ReadLimits, 'waitMs'> = {
  connections: 5,
  perKey: 16,
  slowPerKey: 2,
  slow: 3,
  slowAfterMs: 20,
};
const STORES = { total: 10, perStore: 4, mostOfStores: 8 };
const SEARCHES = { total: 2, perStore: 1 };
const SYSTEM = { total: 4, perTask: 2 };
const BACKGROUND = { total: 2, perTask: 1 };

const FOREGROUND_DEADLINES: Deadlines = {
  lockMs: 3_000,
  statementMs: 4_000,
  answerMs: 5_000,
  transactionMs: 8_000,
  connectMs: 5_000,
  waitMs: 8_000,
};
/** A search that takes longer is better refused: anonymous buyers can start any number of them. */
const SEARCH_DEADLINES: Deadlines = {
  ...FOREGROUND_DEADLINES,
  lockMs: 1_000,
  statementMs: 2_000,
  answerMs: 3_000,
  waitMs: 6_000,
};
const BACKGROUND_DEADLINES: Deadlines = {
  lockMs: 5_000,
  statementMs: 30_000,
  answerMs: 32_000,
  transactionMs: 60_000,
  connectMs: 5_000,
  waitMs: 30_000,
};
const PROBES: ProbeTimes = { idleMs: 2_000, answerMs: 1_500 };

export async function openDatabase(
  connection: pg.ClientConfig,
  options: DatabaseOptions = {},
): Promise<Database> {
  const connect = options.driver === 'pg' ? connectPg : connectPipeline;
  const foreground = { ...FOREGROUND_DEADLINES, ...options.deadlines };
  const searching = { ...SEARCH_DEADLINES, ...options.deadlines };
  const opener = (deadlines: Deadlines) => (): Promise<Connection> => connect(connection, deadlines);
  const fleet = new Fleet(PROBES);
  const pool = new Pool(fleet, opener(foreground));
  const searchPool = new Pool(fleet, opener(searching));
  const backgroundPool = new Pool(fleet, opener(BACKGROUND_DEADLINES));
  const reads = new Reads(fleet, opener(foreground), { ...READS, waitMs: foreground.waitMs });
  const areas = options.areas ?? {};
  const stores = new Admission(STORES.total, { '': STORES.mostOfStores, ...areas });
  const searches = new Admission(SEARCHES.total);
  const system = new Admission(SYSTEM.total);
  const background = new Admission(BACKGROUND.total);

  const database: Database = {
    store: (workspaceId, area = '') =>
      new Share(
        { key: area ? `${workspaceId} ${area}` : workspaceId, most: STORES.perStore, group: area },
        { admission: stores, pool, reads, deadlines: foreground },
      ),
    search: (workspaceId) =>
      new Share(
        { key: workspaceId, most: SEARCHES.perStore, group: '' },
        { admission: searches, pool: searchPool, reads: undefined, deadlines: searching },
      ),
    system: (task) =>
      new Share(
        { key: task, most: SYSTEM.perTask, group: '' },
        { admission: system, pool, reads, deadlines: foreground },
      ),
    background: (task) =>
      new Share(
        { key: task, most: BACKGROUND.perTask, group: '' },
        {
          admission: background,
          pool: backgroundPool,
          reads: undefined,
          deadlines: BACKGROUND_DEADLINES,
        },
      ),
    close: () => fleet.close(),
  };
  try {
    await reads.ready();
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}
