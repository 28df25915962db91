import type { Api } from '../api.js';
import type { Call } from '../call.js';
import type { CallOptions, WriteOptions } from '../options.js';
import { path } from '../query.js';
import type { NewShipment, Shipment, Tracking } from '../types.js';

export class Shipments {
  constructor(private readonly api: Api) {}

  /** Creates a label for a paid or partially refunded order. */
  create(shipment: NewShipment, options?: WriteOptions): Call<Shipment> {
    return this.api.write({ method: 'POST', path: '/shipments', body: shipment }, options);
  }

  /** Returns a shipment with a new URL for its label. The URL is valid for seven days. */
  get(code: string, options?: CallOptions): Call<Shipment> {
    return this.api.get(path`/shipments/${code}`, options);
  }

  /** Returns the tracking of a shipment. Also works for a code that was entered manually. */
  tracking(code: string, options?: CallOptions): Call<Tracking> {
    return this.api.get(path`/shipments/${code}/tracking`, options);
  }
}
