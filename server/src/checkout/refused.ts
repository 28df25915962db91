/**
 * The reason why an order was not placed. `empty`: there is nothing to buy. `changed`: the items, a price or the
 * shipping cost differ from what the buyer was shown, or the postal code does not have eight digits. `too_much`: the
 * total exceeds the maximum for an order. `too_many_units`: the quantity of a line or of the whole order exceeds the
 * merchant's maximum. `address_limit` and `shop_limit`: see limits.ts.
 */
export type Refusal = 'empty' | 'changed' | 'too_much' | 'too_many_units' | 'address_limit' | 'shop_limit';

/** Thrown inside the transaction of a checkout, which is then rolled back. */
export class CheckoutRefused extends Error {
  constructor(readonly why: Refusal) {
    super(why);
  }
}
