import fc from 'fast-check';
import { expect, test } from 'vitest';
import { money, NUMBER_LOCALES } from '../../../src/platform/html/money.js';

test('prices, and sums and multiples of prices, are formatted as Intl.NumberFormat formats them', () => {
  const price = fc.integer({ min: 0, max: 999_999_999 }).map((cents) => cents / 100);
  const amounts = fc.oneof(
    price,
    price.map((each) => -each),
    fc.tuple(price, price).map(([a, b]) => a + b),
    fc.tuple(price, fc.integer({ min: 1, max: 999 })).map(([each, quantity]) => each * quantity),
  );
  for (const language of ['en', 'pt'] as const) {
    const format = new Intl.NumberFormat(NUMBER_LOCALES[language], { style: 'currency', currency: 'BRL' });
    const check = (amount: number) => {
      expect(money(amount, language)).toBe(format.format(amount));
    };
    for (const amount of [0, 0.01, 1, 999.99, 1000, 1234.5, 999_999.99, 1_000_000]) check(amount);
    fc.assert(
      fc.property(amounts, (amount) => check(amount === 0 ? 0 : amount)),
      { numRuns: 2_000 },
    );
  }
});
