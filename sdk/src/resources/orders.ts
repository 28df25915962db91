import type { Api } from '../api.js';
import type { Call } from '../call.js';
import { callSite } from '../errors.js';
import { Feed, type FollowOptions } from '../feed.js';
import type { List } from '../list.js';
import type { CallOptions, DryRunOptions, WriteOptions } from '../options.js';
import { path } from '../query.js';
import { Snapshot, type SnapshotOptions } from '../snapshot.js';
import type {
  DeletedInvoice,
  Invoice,
  ListOrdersQuery,
  NewInvoice,
  Order,
  RefundedOrder,
  RefundRequest,
  ShippingChange,
} from '../types.js';

export class Orders {
  constructor(private readonly api: Api) {}

  list(query?: ListOrdersQuery, options?: CallOptions): List<Order> {
    return this.api.list('/orders', query, options);
  }

  get(id: string, options?: CallOptions): Call<Order> {
    return this.api.get(path`/orders/${id}`, options);
  }

  /**
   * Returns the orders that have changed since `cursor`, or all orders if there is no cursor, sorted by their last
   * change, oldest first. An order that changes again appears again.
   */
  changes(cursor?: string, options?: FollowOptions): Feed<Order> {
    const first = { sort: 'updatedAt' };
    return new Feed(
      this.api,
      '/orders',
      cursor,
      (at) => (at ? { cursor: at } : first),
      options,
      callSite(this.changes),
    );
  }

  setShippingStatus(id: string, change: ShippingChange, options?: DryRunOptions): Call<Order> {
    return this.api.write(
      { method: 'PATCH', path: path`/orders/${id}/shipping-status`, body: change },
      options,
    );
  }

  /** Refunds everything that is not refunded yet, through the payment gateway. */
  refund(id: string, request: RefundRequest = {}, options?: WriteOptions): Call<RefundedOrder> {
    return this.api.write({ method: 'POST', path: path`/orders/${id}/refund`, body: request }, options);
  }

  invoices(id: string, options?: CallOptions): Call<Invoice[]> {
    return this.api.all(path`/orders/${id}/invoices`, options);
  }

  addInvoice(id: string, invoice: NewInvoice, options?: WriteOptions): Call<Invoice> {
    return this.api.write({ method: 'POST', path: path`/orders/${id}/invoices`, body: invoice }, options);
  }

  deleteInvoice(id: string, key: string, options?: WriteOptions): Call<DeletedInvoice> {
    return this.api.write({ method: 'DELETE', path: path`/orders/${id}/invoices/${key}` }, options);
  }

  /** Returns all orders as of one point in time. */
  snapshot(options?: SnapshotOptions): Snapshot<Order> {
    return new Snapshot(this.api, '/orders', options);
  }
}
