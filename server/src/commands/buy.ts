import { type Command, UsageError, wholeNumber } from './command.js';
import { findShopOf } from './find-shop.js';
import { buyOne } from './simulated-buyer.js';
import { withSandbox } from './with-sandbox.js';

const MOST = 10_000;
const AT_ONCE = 4;

export const command: Command = {
  summary: 'Let simulated buyers buy one unit each on the storefront, and pay',
  options: {
    store: { value: 'W', description: 'Store to buy in (workspaceId)', required: true },
    count: { value: 'N', description: 'How many buyers; 1 unless told' },
    product: { value: 'ID', description: 'What they buy; anything in stock unless told' },
    'no-pay': { description: 'Leave the orders waiting for their payment' },
  },
  example: 'feira buy --store 0192… --count 5',
  async run(values) {
    const count = wholeNumber('count', String(values.count ?? 1), MOST);
    const product = values.product === undefined ? undefined : String(values.product);
    return withSandbox(async (services) => {
      const shop = await findShopOf(services.db, String(values.store));
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
      if (orders.length === 0) throw new UsageError('There is nothing in stock to buy');
      if (orders.length < count)
        process.stderr.write(`feira: sold out after ${orders.length} of ${count} buyers\n`);
      return { orders: orders.sort() };
    });
  },
  describe: ({ orders }: { orders: string[] }) => orders.join('\n'),
};
