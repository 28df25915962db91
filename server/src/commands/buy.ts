import { type Command, UsageError, wholeNumber } from './command.js';
import { requireStore, storeOption } from './find-store.js';
import { type Purchase, readPurchases, sentence } from './purchases.js';
import { buyOne } from './simulated-buyer.js';
import { withSandbox } from './with-sandbox.js';

const MOST = 10_000;
const AT_ONCE = 4;

export const command: Command = {
  summary: 'Place paid orders as simulated buyers, one unit each',
  options: {
    store: storeOption,
    count: { value: 'N', description: 'Number of orders (default 1)' },
    product: { value: 'ID', description: 'Product to buy (default: any that is in stock)' },
    'no-pay': { description: 'Leave the orders unpaid' },
  },
  example: 'feira buy --store demo-store --count 5',
  async run(values) {
    const count = wholeNumber('count', String(values.count ?? 1), MOST);
    const product = values.product === undefined ? undefined : String(values.product);
    return withSandbox(async (services) => {
      const shop = await requireStore(services.db, String(values.store));
      const orders: string[] = [];
      let left = count;
      const buyer = async () => {
        while (left-- > 0) {
          const bought = await buyOne(services, shop, product);
          if (!bought) return;
          orders.push(bought.orderId);
          if (!values['no-pay']) await services.gateway.decide(bought.transactionId, 'paid');
        }
      };
      await Promise.all(Array.from({ length: Math.min(AT_ONCE, count) }, buyer));
      if (orders.length === 0) throw new UsageError(nothingToBuy(product), { code: 'out_of_stock' });
      if (orders.length < count)
        process.stderr.write(`feira: sold out after ${orders.length} of ${count} orders\n`);
      return { orders: orders.sort(), bought: await readPurchases(services.db, shop.workspaceId, orders) };
    });
  },
  describe: ({ bought }: { bought: Purchase[] }) => bought.map(sentence).join('\n'),
};

function nothingToBuy(product: string | undefined): string {
  return product === undefined
    ? 'The store has no product in stock. Add stock to a product first'
    : `The product ${product} is out of stock`;
}
