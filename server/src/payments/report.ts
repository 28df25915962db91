import type { Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';
import { ATTENTIONS, type Attention } from './apply-notification.js';
import type { Notification } from './gateway.js';

/**
 * Returns a function that counts and logs a notification that needs manual review. Such notifications are also stored
 * in the database, where `feira doctor` counts those of the last 30 days.
 */
export function paymentReport(
  registry: Registry,
  log: Logger,
): (attention: Attention, notification: Notification) => void {
  const counter = new Counter({
    name: 'feira_payment_notifications_attention_total',
    help: 'Payment notifications received by this process that need manual review, by reason',
    labelNames: ['reason'],
    registers: [registry],
  });
  // Start every counter at 0. Prometheus sees an increase only in a counter that already exists, so otherwise the first
  // notification would not trigger an alert.
  for (const reason of ATTENTIONS) counter.inc({ reason }, 0);
  return (attention, { id, type, workspaceId, orderId, transactionId, amount }) => {
    counter.inc({ reason: attention });
    log.warn(
      { attention, notificationId: id, type, workspaceId, orderId, transactionId, amount },
      'A payment notification needs manual review. Compare the payment at the gateway with the order.',
    );
  };
}
