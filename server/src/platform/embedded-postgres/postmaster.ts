import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Place } from './place.js';

export interface Postmaster {
  pid: number;
  port: number;
  host: string;
  /** As the file says it: after a power cut it goes on saying `ready`. */
  status: 'starting' | 'stopping' | 'ready';
}

/** PostgreSQL keeps its address and its state in its lock file. Only PostgreSQL deletes that file, never we. */
export function readPostmaster(place: Place): Postmaster | undefined {
  const lines = readIfThere(join(place.data, 'postmaster.pid')).split('\n');
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
