import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Forwarding {
  workspaceId: string;
  clientId: string;
  forwardTo: string;
}

export interface Position {
  cursor: string;
  /** The sequence number of the last event before the cursor. */
  sequence: number;
}

/**
 * The progress of `feira listen`. The data folder contains one file for each combination of store, app and the address
 * to which events are forwarded.
 */
export class SavedPosition {
  readonly file: string;

  constructor(
    private readonly dataFolder: string,
    private readonly forwarding: Forwarding,
  ) {
    const { workspaceId, clientId, forwardTo } = forwarding;
    const name = createHash('sha256')
      .update(JSON.stringify([workspaceId, clientId, forwardTo]))
      .digest('hex');
    this.file = join(dataFolder, `listen-${name.slice(0, 16)}.json`);
  }

  /** Returns undefined before the first run, and if the file is damaged. */
  read(): (Position & { ended: boolean }) | undefined {
    try {
      const { cursor, sequence, ended } = JSON.parse(readFileSync(this.file, 'utf8')) as Record<
        string,
        unknown
      >;
      if (typeof cursor !== 'string' || typeof sequence !== 'number') return undefined;
      return { cursor, sequence, ended: ended === true };
    } catch {
      return undefined;
    }
  }

  /** Writes a temporary file and renames it, so that a killed process leaves either the old or the new position. */
  save(position: Position, ended = false): void {
    mkdirSync(this.dataFolder, { recursive: true });
    const draft = `${this.file}.tmp`;
    writeFileSync(draft, `${JSON.stringify({ ...this.forwarding, ...position, ended }, null, 2)}\n`, {
      mode: 0o600,
    });
    renameSync(draft, this.file);
  }
}
