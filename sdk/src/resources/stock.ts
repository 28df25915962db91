import type { Api } from '../api.js';
import { sendInBatches } from '../batch.js';
import { callSite } from '../errors.js';
import type { DryRunOptions } from '../options.js';
import type { StockBatch, StockBatchAnswer } from '../types.js';

export type StockEntry = StockBatch['entries'][number];
export type StockLine = StockBatchAnswer['data'][number];

export interface StockResult {
  /** One line per entry, in the order of the entries. */
  lines: StockLine[];
  /** The lines that were refused, with the index of their entry. */
  failed: (StockLine & { index: number })[];
}

export class Stock {
  constructor(private readonly api: Api) {}

  /**
   * Sets or changes balances by SKU, any number of them. A line can fail on its own (an unknown SKU, another balance
   * than `ifQuantity`): see `failed`. With an idempotencyKey of your own the whole call can be repeated after a crash.
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
