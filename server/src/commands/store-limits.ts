import { setOrderLimits } from '../stores/stores.js';
import { type Command, wholeNumber } from './command.js';
import { withDatabase } from './connect.js';
import { findShopOf } from './find-shop.js';

const MOST = 1_000_000;

export const command: Command = {
  summary: 'Show or set how many units a buyer may order at once in a store',
  options: {
    store: { value: 'W', description: 'Store (workspaceId)', required: true },
    'max-per-line': { value: 'N', description: 'Units of one item in an order (100 for a new store)' },
    'max-per-order': { value: 'N', description: 'Units in an order in all (1000 for a new store)' },
  },
  example: 'feira store limits --store 0192… --max-per-line 10 --max-per-order 50',
  async run(values) {
    const read = (option: string) =>
      values[option] === undefined ? undefined : wholeNumber(option, String(values[option]), MOST);
    const limits = { maxUnitsPerLine: read('max-per-line'), maxUnitsPerOrder: read('max-per-order') };
    return withDatabase(async (db) => {
      const { workspaceId } = await findShopOf(db, String(values.store));
      return setOrderLimits(db.system('command').autocommit, workspaceId, limits);
    });
  },
};
