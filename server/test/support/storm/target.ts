import type { Database } from '../../../src/platform/db/database.js';
import type { CallOptions, FleetStore } from './stores.js';

/** A fault and its times, in milliseconds of performance.now(). */
export interface Kill {
  /** `postgres` also stands for everything between Feira and PostgreSQL. */
  victim: 'api' | 'worker' | 'postgres';
  at: number;
  /** The time at which the process had exited, or PostgreSQL was reachable again. */
  over: number;
}

/** What `runStorm` runs against: several processes of Feira on one database. */
export interface StormTarget {
  readonly db: Database;
  /** The addresses that callers use. */
  readonly apis: string[];
  readonly kills: Kill[];
  store(): Promise<FleetStore>;
  call(
    store: FleetStore,
    method: string,
    path: string,
    body?: object,
    options?: CallOptions,
  ): Promise<Response>;
}
