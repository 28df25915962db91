import { newWebhookSecret } from '../../../server/src/webhooks/signing.js';
import { type AnyWebhookEvent, Webhooks, type WebhooksOptions } from '../../src/webhooks.js';

export const SECRET = newWebhookSecret();
export const PAID = { event: 'order.paid', data: { orderId: 'o1' } } as const;

/** Returns a receiver that records all events and errors. */
export function receiver(options: Partial<WebhooksOptions> = {}) {
  const errors: unknown[] = [];
  const events: AnyWebhookEvent[] = [];
  const hooks = new Webhooks({ secret: SECRET, onError: (error) => errors.push(error), ...options });
  hooks.on('*', (event) => events.push(event));
  return { hooks, events, errors };
}
