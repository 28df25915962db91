import { type Api, dataOf } from '../api.js';
import { type BatchResult, sendInBatches } from '../batch.js';
import type { Call } from '../call.js';
import { callSite } from '../errors.js';
import type { List } from '../list.js';
import type { CallOptions, DryRunOptions } from '../options.js';
import { path } from '../query.js';
import { Snapshot, type SnapshotOptions } from '../snapshot.js';
import type {
  ListStoreVariationsQuery,
  StoreVariation,
  Variation,
  VariationChange,
  VariationList,
  VariationsPut,
} from '../types.js';

export class Variants {
  constructor(private readonly api: Api) {}

  /** Lists the variations of all products. */
  list(query?: ListStoreVariationsQuery, options?: CallOptions): List<StoreVariation> {
    return this.api.list('/variants', query, options);
  }

  /** Returns the variations of one product. */
  of(productId: string, options?: CallOptions): Call<Variation[]> {
    return this.api.all(path`/products/${productId}/variants`, options);
  }

  /**
   * Changes variations by id or SKU and returns all variations of the product. Up to 500 entries are applied together
   * or not at all. If there are more, they are sent in several such calls.
   */
  async update(productId: string, entries: VariationChange[], options?: DryRunOptions): Promise<Variation[]> {
    const address = path`/products/${productId}/variants`;
    const send = (variants: VariationChange[]) => ({
      spec: { method: 'PATCH', path: address, body: { variants } } as const,
      // Every response contains the whole list, so the last one is the result.
      read: ({ data }: VariationList) => [data],
    });
    const site = callSite(this.update);
    const answers: BatchResult<Variation[]> = await sendInBatches(this.api, entries, send, options, site);
    return answers.at(-1) ?? this.of(productId, options);
  }

  /** Creates or updates the listed combinations of a product. Others are kept, unless `prune` is true. */
  put(
    productId: string,
    structure: VariationsPut,
    { prune, ...options }: DryRunOptions & { prune?: boolean } = {},
  ): Call<Variation[]> {
    const address = path`/products/${productId}/variants`;
    return this.api.write(
      { method: 'PUT', path: address, query: { prune }, body: structure },
      options,
      dataOf<Variation>,
    );
  }

  /** Sets the stock of one variation. To set the stock of many variations, use stock.set(). */
  setStock(productId: string, sku: string, quantity: number, options?: DryRunOptions): Call<Variation> {
    const address = path`/products/${productId}/variants/${sku}/stock`;
    return this.api.write({ method: 'PATCH', path: address, body: { quantity } }, options);
  }

  /** Returns the variations of all products as of one point in time. */
  snapshot(options?: SnapshotOptions): Snapshot<StoreVariation> {
    return new Snapshot(this.api, '/variants', options);
  }
}
