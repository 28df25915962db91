import type { Clock } from '../platform/clock.js';
import { addBusinessDays, localDay } from './business-days.js';

/**
 * Returns the day (YYYY-MM-DD) on which a parcel should arrive, counting the business days of the delivery service from
 * today in the store's time zone, or null if nothing is shipped. It is computed at checkout, again when the order is
 * paid (a boleto may be paid days later), and again when the label is created.
 */
export function estimatedDelivery(clock: Clock, timezone: string, days: number | null): string | null {
  return days ? addBusinessDays(localDay(clock.now(), timezone), days) : null;
}
