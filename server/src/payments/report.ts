import type { Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';
import type { Attention } from './apply-notification.js';
import type { Notification } from './gateway.js';

/**
 * Counts and logs the notifications that need manual review. The database stores them, and `feira doctor` counts
 * them.
 */
export function paymentReport(
  registry: Registry,
  log: Logger,
): (attention: Attention, notification: Notification) => void {
  const counter = new Counter({
    name: 'feira_payment_notifications_attention_total',
    help: 'Payment notifications of this process that need manual review, by reason',
    labelNames: ['reason'],
    registers: [registry],
  });
  return (attention, { id, type, workspaceId, orderId, transactionId, amount }) => {
    counter.inc({ reason: attention });
    log.warn(
      { attention, notificationId: id, type, workspaceId, orderId, transactionId, amount },
      'A payment notification does not match its order. Compare the order with the gateway.',
    );
  };
}
