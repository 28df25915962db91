/**
 * The reason why an order was not placed. `empty`: there is nothing to buy. `changed`: the items, a price or the
 * shipping cost differ from what the buyer was shown, or the postal code does not have eight digits. `too_much`: the
 * total exceeds the maximum for an order. `too_many_units`: the quantity of a line or of the whole order exceeds the
 * merchant's maximum. `address_limit` and `shop_limit`: see limits.ts.
 */
export type Refusal = 'empty' | 'changed' | 'too_much' | 'too_many_units' | 'address_limit' | 'shop_limit';

/** Thrown by the checks of an order request. */
export class CheckoutRefused extends Error {
  constructor(readonly why: Refusal) {
    super(why);
  }
}

/** Returns the result of the checks, or the refusal if one of them throws it. */
export function refusalOr<T>(check: () => T): T | { refused: Refusal } {
  try {
    return check();
  } catch (error) {
    if (error instanceof CheckoutRefused) return { refused: error.why };
    throw error;
  }
}
