import { cents } from '../platform/schema/money.js';

/** The price of a delivery service in reais, and its delivery time in business days. */
export interface Quote {
  carrier: string;
  service: 'economy' | 'express';
  cost: number;
  days: number;
}

export interface Parcel {
  weight: number | null;
  width: number | null;
  height: number | null;
  length: number | null;
  quantity: number;
}

// Keyed by the first digit of the Brazilian postal code, which identifies a region. Parcels are shipped from São Paulo.
const REGIONS: Record<string, { base: number; perKg: number; days: number }> = {
  0: { base: 12, perKg: 2.5, days: 2 }, // Greater São Paulo
  1: { base: 14, perKg: 3, days: 3 }, // São Paulo state
  2: { base: 18, perKg: 4, days: 4 }, // Rio de Janeiro, Espírito Santo
  3: { base: 18, perKg: 4, days: 4 }, // Minas Gerais
  4: { base: 24, perKg: 6, days: 7 }, // Bahia, Sergipe
  5: { base: 28, perKg: 7, days: 8 }, // Pernambuco, Alagoas, Paraíba, Rio Grande do Norte
  6: { base: 32, perKg: 9, days: 10 }, // Ceará, Piauí, Maranhão, Pará, Amapá, Amazonas, Roraima, Acre
  7: { base: 24, perKg: 6, days: 6 }, // Federal District, Goiás, Tocantins, Mato Grosso, Mato Grosso do Sul, Rondônia
  8: { base: 18, perKg: 4, days: 4 }, // Paraná, Santa Catarina
  9: { base: 20, perKg: 5, days: 5 }, // Rio Grande do Sul
};
const EXPRESS = { factor: 1.8, days: 0.5 };
export const CARRIER = 'Sandbox Express';
/** The volume, in cubic centimeters, that counts as one kilogram (volumetric weight). */
const CUBIC = 6_000;
const LIGHTEST_KG = 0.3;

/**
 * Returns quotes for parcels that are shipped together, or undefined if the postal code does not have eight digits. An
 * empty list is quoted like the lightest parcel, so callers must check first whether there is anything to ship.
 */
export function quote(zipCode: string, parcels: Parcel[]): Quote[] | undefined {
  const digits = zipCode.replace(/\D/g, '');
  const region = REGIONS[digits.charAt(0)];
  if (digits.length !== 8 || !region) return undefined;
  const kilograms = Math.max(
    LIGHTEST_KG,
    parcels.reduce((sum, parcel) => sum + chargeable(parcel), 0),
  );
  const cost = region.base + region.perKg * kilograms;
  return [
    { carrier: CARRIER, service: 'economy', cost: cents(cost), days: region.days },
    {
      carrier: CARRIER,
      service: 'express',
      cost: cents(cost * EXPRESS.factor),
      days: Math.max(1, Math.ceil(region.days * EXPRESS.days)),
    },
  ];
}

function chargeable({ weight, width, height, length, quantity }: Parcel): number {
  const cubic = ((width ?? 0) * (height ?? 0) * (length ?? 0)) / CUBIC;
  return Math.max(weight ?? 0, cubic) * quantity;
}
