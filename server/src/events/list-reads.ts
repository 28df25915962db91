import { Batcher } from '../platform/concurrency/batcher.js';
import type { Replica } from '../platform/db/replica.js';
import type { Queryable } from '../platform/db/share.js';
import { arrayOf, fixed, raw, sql } from '../platform/db/sql.js';
import type { ListMemory } from '../platform/lists/list-memory.js';
import { storePosition } from './store-version.js';

/**
 * Reads lists from the replica, if there is one and it contains every change of the store that the primary has
 * committed before the read. A caller therefore finds its own changes, and those that others have told it of, whichever
 * process made them.
 */
export class ListReads {
  private readonly positions = new Batcher(2, 32, (stores: string[]) => positionsIn(this.primary, stores));

  constructor(
    private readonly primary: Queryable,
    /** What is remembered of a list holds only for the server that it was read from. */
    readonly memory: ListMemory,
    private readonly replica: { server: Replica; memory: ListMemory } | undefined,
  ) {}

  /** Runs `read` with the replica, or with `access`, which leads to the primary. */
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
      const [replayed] = await positionsIn(db, [workspaceId]);
      return replayed === position ? { value: await read(db, memory) } : undefined;
    });
  }
}

async function positionsIn(db: Queryable, stores: string[]): Promise<(string | undefined)[]> {
  const rows = await db.query<{ id: string; position: string | null }>(
    positionsOf(arrayOf([...new Set(stores)])),
  );
  const positions = new Map(rows.map(({ id, position }) => [id, position ?? undefined]));
  return stores.map((id) => positions.get(id));
}

const positionsOf = fixed(
  (stores: string) => sql`
    select asked.id, (${storePosition(raw('asked.id'))}) as position from unnest((select ${stores}::uuid[])) as asked(id)`,
);
