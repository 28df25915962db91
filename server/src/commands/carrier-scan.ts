import type { ShippingStatus } from '../orders/shipping-status.js';
import { ordersOf } from '../orders/storage.js';
import { scan, storesOfCode } from '../shipping/shipments.js';
import { type Command, UsageError } from './command.js';
import { findShopOf } from './find-shop.js';
import { randomPlace } from './simulated-buyer.js';
import { withSandbox } from './with-sandbox.js';

export const command: Command = {
  summary: 'Let the carrier see a parcel; its order moves along',
  options: {
    code: { value: 'C', description: 'Shipment code', required: true },
    status: {
      value: 'S',
      description: 'Where it is; the next step unless told',
      choices: ['sent', 'in_transit', 'delivered', 'returned'],
    },
    store: { value: 'W', description: 'Store, when two of them use the same code' },
  },
  example: 'feira carrier scan --code SX123456785BR --status in_transit',
  async run(values) {
    const code = String(values.code);
    return withSandbox(async ({ db }) => {
      const stores =
        values.store === undefined
          ? await storesOfCode(db.system('carrier'), code)
          : [(await findShopOf(db, String(values.store))).workspaceId];
      if (stores.length > 1)
        throw new UsageError(`Several stores use the code ${code}; say which with --store`);
      const [store] = stores;
      if (store === undefined) throw new UsageError(`There is no shipment ${code}`);
      const status = values.status as ShippingStatus | undefined;
      const statusShipping = await ordersOf(db, store!).transaction((tx) =>
        scan(tx, store, code, status, randomPlace()),
      );
      return { code, statusShipping };
    });
  },
};
