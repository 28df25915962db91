import type { CheckoutServices } from '../checkout/checkout.js';
import { OrderLinks } from '../checkout/order-links.js';
import { SandboxGateway } from '../payments/sandbox/gateway.js';
import { readConfig } from '../platform/config.js';
import { Signer } from '../platform/crypto/signer.js';
import { sql } from '../platform/db/sql.js';
import { ApiError } from '../platform/http/errors.js';
import { DELIVERY_CHANNEL } from '../webhooks/wake.js';
import { UsageError } from './command.js';
import { withDatabase } from './connect.js';

/** For the commands that simulate the buyer, the gateway or the carrier. */
export interface SandboxServices extends CheckoutServices {
  gateway: SandboxGateway;
  /** Wakes the workers of a running server, because there may be something to deliver. */
  wake(): Promise<void>;
}

/** Runs a command with the sandbox gateway; refuses when this server uses no sandbox. */
export async function withSandbox<T>(work: (services: SandboxServices) => Promise<T>): Promise<T> {
  const { secrets, publicUrl, paymentGateway } = readConfig();
  if (paymentGateway === 'none')
    throw new UsageError(
      'PAYMENT_GATEWAY is none: no order can be placed or paid. Set PAYMENT_GATEWAY=sandbox for simulated payments',
    );
  const signer = new Signer(secrets);
  return withDatabase(async (db, clock) => {
    const wake = async () =>
      void (await db.system('command').autocommit.query(sql`select pg_notify(${DELIVERY_CHANNEL}, '')`));
    const services = {
      db,
      clock,
      gateway: new SandboxGateway(db, clock, signer, publicUrl),
      orderLinks: new OrderLinks(publicUrl, signer),
      wake,
    };
    try {
      return await work(services);
    } catch (error) {
      // The command prints the message that the API would answer with.
      throw error instanceof ApiError ? new UsageError(error.message) : error;
    } finally {
      await wake();
    }
  });
}
