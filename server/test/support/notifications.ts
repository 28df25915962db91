import type { Notification } from '../../src/payments/gateway.js';
import { signNotification } from '../../src/payments/notifications.js';
import { Signer } from '../../src/platform/crypto/signer.js';
import { type Feira, TEST_SECRET } from './feira.js';

const SIGNER = new Signer([TEST_SECRET]);

/**
 * Sends a notification with the current time and a valid signature, as the gateway does, and returns the status of the
 * response.
 */
export async function sendNotification(feira: Feira, notification: Notification): Promise<number> {
  const { body, timestamp, signature } = signNotification(SIGNER, notification, feira.clock.now());
  const { statusCode } = await feira.app.inject({
    method: 'POST',
    url: '/payments/sandbox/notifications',
    headers: {
      'content-type': 'application/json',
      'x-payment-timestamp': timestamp,
      'x-payment-signature': signature,
    },
    payload: body,
  });
  return statusCode;
}
