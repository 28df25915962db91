import type { CheckoutServices } from '../checkout/checkout.js';
import { OrderLinks } from '../checkout/order-links.js';
import { OrderPlacement } from '../checkout/order-placement.js';
import { EVENT_CHANNEL } from '../events/channels.js';
import { SandboxGateway } from '../payments/sandbox/gateway.js';
import type { Config } from '../platform/config.js';
import { Signer } from '../platform/crypto/signer.js';
import { sql } from '../platform/db/sql.js';
import { ApiError } from '../platform/http/errors.js';
import { UsageError } from './command.js';
import { withDatabase } from './connect.js';

/** The dependencies of commands that act as the buyer, the gateway or the carrier. */
export interface SandboxServices extends CheckoutServices {
  gateway: SandboxGateway;
  /** Notifies the workers of a running server that there are events to deliver. */
  wake(): Promise<void>;
}

/** Runs a command with these services. Throws UsageError if PAYMENT_GATEWAY is none. */
export async function withSandbox<T>(work: (services: SandboxServices) => Promise<T>): Promise<T> {
  return withDatabase(async (db, clock, { secrets, publicUrl }) => {
    const signer = new Signer(secrets);
    const wake = async () =>
      void (await db.system('command').autocommit.query(sql`select pg_notify(${EVENT_CHANNEL}, '')`));
    const services = {
      db,
      clock,
      gateway: new SandboxGateway(db, clock, signer, publicUrl),
      orderLinks: new OrderLinks(publicUrl, signer),
      placement: new OrderPlacement(db, clock),
      wake,
    };
    try {
      return await work(services);
    } catch (error) {
      // Errors of the API become UsageErrors, which are printed without a stack trace.
      throw error instanceof ApiError ? new UsageError(error.message, { code: error.code }) : error;
    } finally {
      await wake();
    }
  }, refuseWithoutSandbox);
}

function refuseWithoutSandbox({ paymentGateway }: Config): void {
  if (paymentGateway !== 'none') return;
  throw new UsageError(
    'PAYMENT_GATEWAY is none: orders can be neither placed nor paid. Set PAYMENT_GATEWAY=sandbox for simulated payments.',
    { code: 'no_payment_gateway' },
  );
}
