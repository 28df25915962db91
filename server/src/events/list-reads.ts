import { Batcher } from '../platform/concurrency/batcher.js';
import type { Replica } from '../platform/db/replica.js';
import type { Queryable } from '../platform/db/share.js';
import type { ListMemory } from '../platform/lists/list-memory.js';
import { readPositions } from './store-version.js';

/**
 * Reads lists from the replica, if there is one and it contains every change to the store that the primary committed
 * before the read. A caller therefore finds all changes that were committed before its request, whichever process made
 * them.
 */
export class ListReads {
  private readonly positions = new Batcher(2, 32, (stores: string[]) => readPositions(this.primary, stores));

  constructor(
    private readonly primary: Queryable,
    /** Remembers only what was read from the primary. The replica has a memory of its own. */
    readonly memory: ListMemory,
    private readonly replica: { server: Replica; memory: ListMemory } | undefined,
  ) {}

  /** Runs `read` on the replica if possible. Otherwise runs it with `access`, which reads from the primary. */
  async read<T>(
    workspaceId: string,
    access: Queryable,
    read: (db: Queryable, memory: ListMemory) => Promise<T>,
  ): Promise<T> {
    const answer = this.replica?.server.isUsable ? await this.readReplica(workspaceId, read) : undefined;
    return answer ? answer.value : read(access, this.memory);
  }

  private async readReplica<T>(
    workspaceId: string,
    read: (db: Queryable, memory: ListMemory) => Promise<T>,
  ): Promise<{ value: T } | undefined> {
    const { server, memory } = this.replica!;
    const position = await this.positions.submit(workspaceId);
    if (position === undefined) return undefined;
    return server.read(workspaceId, async (db) => {
      const [replayed] = await readPositions(db, [workspaceId]);
      return replayed === position ? { value: await read(db, memory) } : undefined;
    });
  }
}
