import type pg from 'pg';
import { Admission } from '../concurrency/admission.js';
import type { DatabaseDriver } from '../config.js';
import type { Connection } from './connection.js';
import { OpenConnections } from './open-connections.js';
import { connectPg } from './pg-connection.js';
import { connectPipeline } from './pipeline/pipeline-connection.js';
import { Pool } from './pool.js';
import { type ReadLimits, Reads } from './reads.js';
import type { Deadlines } from './settings.js';
import { Share } from './share.js';

export interface DatabaseOptions {
  driver?: DatabaseDriver | undefined;
  deadlines?: Partial<Deadlines> | undefined;
  /**
   * Parts of a store's work, such as orders, that have their own share of the connections, so that a lock in one part
   * does not block the others. The value is the maximum number of connections of a part, for all stores together.
   */
  areas?: Readonly<Record<string, number>>;
  /** Whether the process also connects to a replica. It then opens two fewer connections to the primary. */
  hasReplica?: boolean;
}

/**
 * The connections of a process to the primary. Every statement belongs to a store or to an internal task, and each of
 * these may use only its share of the connections, so a lock or a slow statement in one does not delay the others.
 */
export interface Database {
  /** Statements of one store. An area such as orders has a share of its own, separate from the rest of the store. */
  store(workspaceId: string, area?: string): Share;
  /**
   * Searches of one store. The searches of all stores share two connections, and each statement has a short timeout.
   */
  search(workspaceId: string): Share;
  /** Statements of an internal task, such as those for tokens, sessions and deliveries. */
  system(task: string): Share;
  /** Background jobs, which may run for a long time on connections of their own. */
  background(task: string): Share;
  /** Long read-only transactions whose rows are streamed to a client: at most two at a time, and one per `owner`. */
  stream(owner: string): Share;
  close(): Promise<void>;
}

/**
 * A process uses fewer than 25 connections in total, including the one that listens for notifications. With a replica,
 * to which it opens two connections, READS and SYSTEM have one fewer each.
 */
const READS: Omit<ReadLimits, 'waitMs'> = {
  connections: 4,
  perKey: 16,
  slowPerKey: 2,
  slow: 3,
  slowAfterMs: 20,
};
const READS_BESIDE_REPLICA = { ...READS, connections: 3, slow: 2 };
const STORES = { total: 9, perStore: 4, allStores: 7 };
const SEARCHES = { total: 2, perStore: 1 };
const SYSTEM = { total: 4, perTask: 2 };
const SYSTEM_BESIDE_REPLICA = { ...SYSTEM, total: 3 };
const BACKGROUND = { total: 2, perTask: 1 };
const STREAMS = { total: 2, perOwner: 1 };

const FOREGROUND_DEADLINES: Deadlines = {
  lockMs: 3_000,
  statementMs: 4_000,
  answerMs: 5_000,
  transactionMs: 8_000,
  connectMs: 5_000,
  waitMs: 8_000,
  probeMs: 1_500,
};
/** Slow searches are canceled early, because anonymous buyers can start any number of them. */
const SEARCH_DEADLINES: Deadlines = {
  ...FOREGROUND_DEADLINES,
  lockMs: 1_000,
  statementMs: 2_000,
  answerMs: 3_000,
  waitMs: 6_000,
};
const BACKGROUND_DEADLINES: Deadlines = {
  ...FOREGROUND_DEADLINES,
  lockMs: 5_000,
  statementMs: 30_000,
  answerMs: 32_000,
  transactionMs: 60_000,
  connectMs: 5_000,
  waitMs: 30_000,
};
/** The transaction lasts as long as the client takes to read all batches. Each statement reads one batch. */
const STREAM_DEADLINES: Deadlines = {
  ...FOREGROUND_DEADLINES,
  lockMs: 1_000,
  statementMs: 10_000,
  answerMs: 12_000,
  transactionMs: 30 * 60_000,
  connectMs: 5_000,
  waitMs: 5_000,
};
const PROBE_IDLE_MS = 2_000;

export async function openDatabase(
  connection: pg.ClientConfig,
  options: DatabaseOptions = {},
): Promise<Database> {
  const connect = options.driver === 'pg' ? connectPg : connectPipeline;
  const foreground = { ...FOREGROUND_DEADLINES, ...options.deadlines };
  const searching = { ...SEARCH_DEADLINES, ...options.deadlines };
  const opener = (deadlines: Deadlines) => (): Promise<Connection> => connect(connection, deadlines);
  const openConnections = new OpenConnections({ idleMs: PROBE_IDLE_MS, answerMs: foreground.probeMs });
  const pool = new Pool(openConnections, opener(foreground));
  const searchPool = new Pool(openConnections, opener(searching));
  const backgroundPool = new Pool(openConnections, opener(BACKGROUND_DEADLINES));
  const streamPool = new Pool(openConnections, opener(STREAM_DEADLINES));
  const readLimits = options.hasReplica ? READS_BESIDE_REPLICA : READS;
  const systemLimits = options.hasReplica ? SYSTEM_BESIDE_REPLICA : SYSTEM;
  const reads = new Reads(openConnections, opener(foreground), { ...readLimits, waitMs: foreground.waitMs });
  const areas = options.areas ?? {};
  const stores = new Admission({ total: STORES.total, groups: { '': STORES.allStores, ...areas } });
  const searches = new Admission({ total: SEARCHES.total });
  const system = new Admission({ total: systemLimits.total });
  const background = new Admission({ total: BACKGROUND.total });
  const streams = new Admission({ total: STREAMS.total });

  const database: Database = {
    store: (workspaceId, area = '') =>
      new Share(
        { key: area ? `${workspaceId} ${area}` : workspaceId, limit: STORES.perStore, group: area },
        { admission: stores, pool, reads, deadlines: foreground },
      ),
    search: (workspaceId) =>
      new Share(
        { key: workspaceId, limit: SEARCHES.perStore },
        { admission: searches, pool: searchPool, reads: undefined, deadlines: searching },
      ),
    system: (task) =>
      new Share(
        { key: task, limit: systemLimits.perTask },
        { admission: system, pool, reads, deadlines: foreground },
      ),
    background: (task) =>
      new Share(
        { key: task, limit: BACKGROUND.perTask },
        {
          admission: background,
          pool: backgroundPool,
          reads: undefined,
          deadlines: BACKGROUND_DEADLINES,
        },
      ),
    stream: (owner) =>
      new Share(
        { key: owner, limit: STREAMS.perOwner },
        { admission: streams, pool: streamPool, reads: undefined, deadlines: STREAM_DEADLINES },
      ),
    close: () => openConnections.close(),
  };
  try {
    await reads.ready();
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}
