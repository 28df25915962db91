import { quote } from '../shipping/freight.js';
import type { PricedItem } from './items.js';

export interface DeliveryOption {
  service: 'economy' | 'express' | 'digital';
  cost: number;
  days: number;
}

const DIGITAL = 1;

/**
 * Returns the delivery services for a cart and a postal code, cheapest first, or undefined if the code does not
 * have eight digits.
 */
export function deliveryOptions(zipCode: string, items: PricedItem[]): DeliveryOption[] | undefined {
  const shipped = items.filter(({ sellable }) => sellable.typeId !== DIGITAL);
  const quotes = quote(
    zipCode,
    shipped.map(({ sellable: { weight, width, height, length }, quantity }) => ({
      weight,
      width,
      height,
      length,
      quantity,
    })),
  );
  if (quotes && shipped.length === 0) return [{ service: 'digital', cost: 0, days: 0 }];
  return quotes?.map(({ service, cost, days }) => ({ service, cost, days }));
}
