import { test } from 'vitest';
import { openFeira } from '../../support/feira.js';
import { compareTotals } from '../../support/list-rounds.js';

test('the totals of lists equal a count of their records after thousands of random writes through two servers', async () => {
  const feira = await openFeira();
  for (const seed of [1, 2, 3])
    await compareTotals(feira, { products: 400, rounds: 20, writesPerRound: 40, seed });
  await feira.close();
});
