import type { ShippingStatus } from '../orders/shipping-status.js';
import { ordersOf } from '../orders/storage.js';
import { scan, storesOfCode } from '../shipping/shipments.js';
import { type Command, UsageError } from './command.js';
import { requireStore } from './find-store.js';
import { withSandbox } from './with-sandbox.js';

export const command: Command = {
  summary: 'Record a carrier scan and advance the shipment and its order',
  options: {
    code: { value: 'C', description: 'Shipment code', required: true },
    status: {
      value: 'S',
      description: 'New status (default: the next step)',
      choices: ['sent', 'in_transit', 'delivered', 'returned'],
    },
    store: { value: 'W', description: 'Store (slug or workspaceId), needed if several stores use the code' },
  },
  example: 'feira carrier scan --code SX123456785BR --status in_transit',
  async run(values) {
    const code = String(values.code);
    return withSandbox(async ({ db }) => {
      const stores =
        values.store === undefined
          ? await storesOfCode(db.system('carrier'), code)
          : [(await requireStore(db, String(values.store))).workspaceId];
      if (stores.length > 1)
        throw new UsageError(`Several stores use the code ${code}. Name one with --store.`);
      const [store] = stores;
      if (store === undefined)
        throw new UsageError(`No shipment has the code ${code}`, { code: 'shipment_not_found' });
      const status = values.status as ShippingStatus | undefined;
      const statusShipping = await ordersOf(db, store!).transaction((tx) => scan(tx, store, code, status));
      return { code, statusShipping };
    });
  },
};
