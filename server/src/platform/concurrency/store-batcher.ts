import { Batcher } from './batcher.js';

/** A batch that takes longer is probably waiting for a lock or a connection, so the next one begins without waiting. */
const SLOW_MS = 250;

/**
 * Combines requests that arrive for the same store at the same time. The batches of a store run one after the other,
 * unless one is slow, because they would wait for each other's locks. A result may itself be a promise, as in Batcher.
 */
export class StoreBatcher<Request, Result> {
  private readonly stores = new Map<string, { batcher: Batcher<Request, Result>; unfinished: number }>();

  constructor(
    private readonly maxBatchSize: number,
    private readonly execute: (
      workspaceId: string,
      requests: Request[],
    ) => Promise<(Result | Promise<Result>)[]>,
  ) {}

  async submit(workspaceId: string, request: Request): Promise<Result> {
    const store = this.stores.get(workspaceId) ?? this.add(workspaceId);
    store.unfinished++;
    try {
      return await store.batcher.submit(request);
    } finally {
      store.unfinished--;
      if (store.unfinished === 0) this.stores.delete(workspaceId);
    }
  }

  private add(workspaceId: string): { batcher: Batcher<Request, Result>; unfinished: number } {
    const execute = (requests: Request[]) => this.execute(workspaceId, requests);
    const store = { batcher: new Batcher(1, this.maxBatchSize, execute, SLOW_MS), unfinished: 0 };
    this.stores.set(workspaceId, store);
    return store;
  }
}
