import type { Api } from '../api.js';
import type { List } from '../list.js';
import type { CallOptions } from '../options.js';
import { Snapshot, type SnapshotOptions } from '../snapshot.js';
import type { Customer, ListCustomersQuery } from '../types.js';

export class Customers {
  constructor(private readonly api: Api) {}

  list(query?: ListCustomersQuery, options?: CallOptions): List<Customer> {
    return this.api.list('/customers', query, options);
  }

  /** Returns all customers as of one point in time. */
  snapshot(options?: SnapshotOptions): Snapshot<Customer> {
    return new Snapshot(this.api, '/customers', options);
  }
}
