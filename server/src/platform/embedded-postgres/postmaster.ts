import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClusterLocation } from './location.js';

export interface Postmaster {
  pid: number;
  port: number;
  host: string;
  /** The status in the lock file. After a power failure it may still be `ready`, although PostgreSQL is not running. */
  status: 'starting' | 'stopping' | 'ready';
}

/**
 * Reads PostgreSQL's address and status from its lock file. Never delete that file: it prevents a second PostgreSQL
 * from using the same data.
 */
export function readPostmaster(location: ClusterLocation): Postmaster | undefined {
  const lines = readIfThere(join(location.data, 'postmaster.pid')).split('\n');
  const [pid, port, host] = [Number(lines[0]), Number(lines[3]), lines[4]];
  if (!pid || !port || !host) return undefined;
  const status = lines[7]?.trim();
  return { pid, port, host, status: status === 'ready' || status === 'stopping' ? status : 'starting' };
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
