import { setTimeout as delay } from 'node:timers/promises';
import { Fleet } from '../fleet.js';
import { Random } from '../random.js';
import { runStorm, STORM_SETTINGS, type StormReport } from './run-storm.js';
import type { Kill } from './target.js';

export interface StormOptions {
  victims: Kill['victim'][];
  /** How many processes are killed, one after the other. */
  kills: number;
  seed: number;
  /** Adds a deliberate bug to the database before any server process has started. */
  sabotage?: (fleet: Fleet) => Promise<void>;
}

/**
 * Runs the storm test on four processes and one PostgreSQL. One of these is killed at a time, and the kinds in
 * `victims` take turns.
 */
export async function storm({ victims, kills, seed, sabotage }: StormOptions): Promise<StormReport> {
  const random = new Random(seed);
  const fleet = await Fleet.open(STORM_SETTINGS);
  try {
    await sabotage?.(fleet);
    await Promise.all([fleet.start('api', 2), fleet.start('worker', 2)]);
    return await runStorm(fleet, random, async () => {
      for (let count = 0; count < kills; count++) {
        await delay(500 + random.below(1_000));
        await killOne(fleet, victims[count % victims.length]!, random);
      }
    });
  } finally {
    await fleet.close();
  }
}

async function killOne(fleet: Fleet, victim: Kill['victim'], random: Random): Promise<void> {
  if (victim === 'postgres') return fleet.killPostgres();
  const candidates = fleet.processes.flatMap(({ role }, index) => (role === victim ? [index] : []));
  await fleet.kill(random.pick(candidates));
}
