import type pg from 'pg';

export interface ReplicaSettings {
  connection: pg.ClientConfig;
  /** A replica that may be further behind than this is not used. */
  maxLagMs: number;
}

const DEFAULT_MAX_LAG_MS = 5_000;
/**
 * The lag is measured once per second and counts as growing until the next measurement, so even a replica that is up to
 * date could exceed a limit below this.
 */
const LEAST_MAX_LAG_MS = 2_000;

export function readReplica(
  read: (name: string) => string | undefined,
  faults: string[],
): ReplicaSettings | undefined {
  const [url, givenLag] = [read('REPLICA_URL'), read('REPLICA_MAX_LAG_MS')];
  const maxLagMs = Number(givenLag ?? DEFAULT_MAX_LAG_MS);
  if (!Number.isFinite(maxLagMs) || maxLagMs < LEAST_MAX_LAG_MS)
    faults.push(`REPLICA_MAX_LAG_MS must be a number of at least ${LEAST_MAX_LAG_MS}, not "${givenLag}"`);
  if (url === undefined) {
    if (givenLag !== undefined) faults.push('REPLICA_MAX_LAG_MS needs REPLICA_URL');
    return undefined;
  }
  if (!/^postgres(ql)?:\/\//.test(url))
    faults.push('REPLICA_URL must start with postgres:// or postgresql://');
  if (read('DATABASE_URL') === undefined)
    faults.push('REPLICA_URL needs DATABASE_URL: the embedded database has no replica');
  return { connection: { connectionString: url }, maxLagMs };
}
