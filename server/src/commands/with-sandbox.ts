import type { Till } from '../checkout/checkout.js';
import { OrderLinks } from '../checkout/order-links.js';
import { SandboxGateway } from '../payments/sandbox/gateway.js';
import { readConfig } from '../platform/config.js';
import { Signer } from '../platform/crypto/signer.js';
import type { Database } from '../platform/db/database.js';
import { sql } from '../platform/db/sql.js';
import { ApiError } from '../platform/http/errors.js';
import { isId } from '../platform/schema/ids.js';
import { type Shop, shopOfStore } from '../stores/queries.js';
import { DELIVERY_CHANNEL } from '../webhooks/wake.js';
import { UsageError } from './command.js';
import { withDatabase } from './connect.js';

/** What the commands need that play the buyer, the gateway or the carrier. */
export interface CommandTill extends Till {
  gateway: SandboxGateway;
  /** Tells the workers of a running server that there is something to deliver. */
  wake(): Promise<void>;
}

/** Only a server with the sandbox has a gateway that commands can play. */
export async function withTill<T>(work: (till: CommandTill) => Promise<T>): Promise<T> {
  const { secrets, publicUrl, paymentGateway } = readConfig();
  if (paymentGateway === 'none')
    throw new UsageError(
      'PAYMENT_GATEWAY is none: no order can be placed or paid. Set PAYMENT_GATEWAY=sandbox for simulated payments',
    );
  const signer = new Signer(secrets);
  return withDatabase(async (db, clock) => {
    const wake = async () =>
      void (await db.system('command').autocommit.query(sql`select pg_notify(${DELIVERY_CHANNEL}, '')`));
    const till = {
      db,
      clock,
      gateway: new SandboxGateway(db, clock, signer, publicUrl),
      orderLinks: new OrderLinks(publicUrl, signer),
      wake,
    };
    try {
      return await work(till);
    } catch (error) {
      // What the API would refuse with a sentence is told with the same sentence here.
      throw error instanceof ApiError ? new UsageError(error.message) : error;
    } finally {
      await wake();
    }
  });
}

export async function findShopOf(db: Database, workspaceId: string): Promise<Shop> {
  const shop = isId(workspaceId) ? await shopOfStore(db.store(workspaceId), workspaceId) : undefined;
  if (!shop)
    throw new UsageError(
      `There is no store ${workspaceId}; "feira store create" makes one and prints its workspaceId`,
    );
  return shop;
}
