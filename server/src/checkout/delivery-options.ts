import type { Sellable } from '../catalog/reserve.js';
import { quote } from '../shipping/freight.js';

export interface Bought {
  sellable: Sellable;
  quantity: number;
}

export interface DeliveryOption {
  service: 'economy' | 'express' | 'digital';
  cost: number;
  days: number;
}

const DIGITAL = 1;

/** How the cart can come to a postal code, the cheapest first; undefined when the code is not a Brazilian one. */
export function deliveryOptions(zipCode: string, items: Bought[]): DeliveryOption[] | undefined {
  const travelling = items.filter(({ sellable }) => sellable.typeId !== DIGITAL);
  const quotes = quote(
    zipCode,
    travelling.map(({ sellable: { weight, width, height, length }, quantity }) => ({
      weight,
      width,
      height,
      length,
      quantity,
    })),
  );
  if (quotes && travelling.length === 0) return [{ service: 'digital', cost: 0, days: 0 }];
  return quotes?.map(({ service, cost, days }) => ({ service, cost, days }));
}
