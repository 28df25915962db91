import { setOrderLimits } from '../stores/stores.js';
import { type Command, wholeNumber } from './command.js';
import { withDatabase } from './connect.js';
import { requireStore, storeOption } from './find-store.js';

const MOST = 1_000_000;

export const command: Command = {
  summary: 'Show or set how many units a buyer may order at once in a store',
  options: {
    store: storeOption,
    'max-per-line': {
      value: 'N',
      description: 'Maximum units of one item in an order (default for a new store: 100)',
    },
    'max-per-order': {
      value: 'N',
      description: 'Maximum units in an order in total (default for a new store: 1000)',
    },
  },
  example: 'feira store limits --store demo-store --max-per-line 10 --max-per-order 50',
  async run(values) {
    const read = (option: string) =>
      values[option] === undefined ? undefined : wholeNumber(option, String(values[option]), MOST);
    const limits = { maxUnitsPerLine: read('max-per-line'), maxUnitsPerOrder: read('max-per-order') };
    return withDatabase(async (db) => {
      const { workspaceId } = await requireStore(db, String(values.store));
      return setOrderLimits(db.system('command').autocommit, workspaceId, limits);
    });
  },
};
