import type { Api } from '../api.js';
import type { Call } from '../call.js';
import type { List } from '../list.js';
import type { CallOptions, WriteOptions } from '../options.js';
import { path } from '../query.js';
import type {
  CreatedWebhook,
  Deleted,
  Delivery,
  ListDeliveriesQuery,
  NewWebhook,
  PingAnswer,
  Replayed,
  ReplayRequest,
  Webhook,
  WebhookChange,
} from '../types.js';

/** The webhook subscriptions of this store and app. To receive deliveries, see @feira/sdk/webhooks. */
export class Subscriptions {
  constructor(private readonly api: Api) {}

  list(options?: CallOptions): Call<Webhook[]> {
    return this.api.all('/webhooks', options);
  }

  get(id: string, options?: CallOptions): Call<Webhook> {
    return this.api.get(path`/webhooks/${id}`, options);
  }

  /** Creates a subscription. The response contains its secret, which is not shown again. */
  create(webhook: NewWebhook, options?: WriteOptions): Call<CreatedWebhook> {
    return this.api.write({ method: 'POST', path: '/webhooks', body: webhook }, options);
  }

  update(id: string, change: WebhookChange, options?: WriteOptions): Call<Webhook> {
    return this.api.write({ method: 'PATCH', path: path`/webhooks/${id}`, body: change }, options);
  }

  delete(id: string, options?: WriteOptions): Call<Deleted> {
    return this.api.write({ method: 'DELETE', path: path`/webhooks/${id}` }, options);
  }

  /** Creates a new secret. For 24 hours, deliveries are also signed with the old one. */
  rotateSecret(id: string, options?: WriteOptions): Call<CreatedWebhook> {
    return this.api.write({ method: 'POST', path: path`/webhooks/${id}/rotate-secret` }, options);
  }

  /** Sends a test delivery now and returns how the receiver responded. The delivery is not logged and not retried. */
  ping(id: string, options?: WriteOptions): Call<PingAnswer> {
    return this.api.write({ method: 'POST', path: path`/webhooks/${id}/ping` }, options);
  }

  /** Lists the deliveries with all their attempts, by default newest first. They are kept for at least 30 days. */
  deliveries(id: string, query?: ListDeliveriesQuery, options?: CallOptions): List<Delivery> {
    return this.api.list(path`/webhooks/${id}/deliveries`, query, options);
  }

  /** Sends a delivery again, in up to five new attempts with the same event id. */
  redeliver(id: string, deliveryId: string, options?: WriteOptions): Call<Delivery> {
    const address = path`/webhooks/${id}/deliveries/${deliveryId}/redeliver`;
    return this.api.write({ method: 'POST', path: address }, options);
  }

  /**
   * Sends deliveries of a period again: those that failed or were dropped, and with status `all` also those that were
   * delivered. One call queues at most 10,000. If some are left, pass `continueFrom` of the response as `from` of the
   * next call.
   */
  replay(id: string, request: ReplayRequest, options?: WriteOptions): Call<Replayed> {
    return this.api.write({ method: 'POST', path: path`/webhooks/${id}/replay`, body: request }, options);
  }
}
