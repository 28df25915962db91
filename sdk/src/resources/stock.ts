import type { Api } from '../api.js';
import { sendInBatches } from '../batch.js';
import { callSite } from '../errors.js';
import type { DryRunOptions } from '../options.js';
import type { StockBatch, StockBatchAnswer } from '../types.js';

export type StockEntry = StockBatch['entries'][number];
export type StockLine = StockBatchAnswer['data'][number];

export interface StockResult {
  /** One result per entry, in the same order. */
  lines: StockLine[];
  /** The results of rejected entries, each with the index of its entry. */
  failed: (StockLine & { index: number })[];
}

export class Stock {
  constructor(private readonly api: Api) {}

  /**
   * Sets or changes any number of balances by SKU. Individual entries can fail, for example because the SKU is unknown
   * or the balance is not `ifQuantity`: see `failed`. With your own idempotencyKey, you can repeat the whole call after
   * a crash.
   */
  async set(entries: StockEntry[], options?: DryRunOptions): Promise<StockResult> {
    const send = (part: StockEntry[]) => ({
      spec: { method: 'PATCH', path: '/stock', body: { entries: part } } as const,
      read: ({ data }: StockBatchAnswer) => data,
    });
    const lines = await sendInBatches(this.api, entries, send, options, callSite(this.set));
    const numbered = lines.map((line, index) => ({ ...line, index }));
    return { lines, failed: numbered.filter(({ ok }) => !ok) };
  }
}
