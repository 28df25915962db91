import type { Clock } from '../platform/clock.js';
import { addBusinessDays, localDay } from './business-days.js';

/**
 * Returns the day (YYYY-MM-DD) on which a parcel should arrive: `days` business days after today in the store's time
 * zone. Returns null if `days` is 0 (nothing is shipped) or null (the delivery time is unknown). The day is computed at
 * checkout, again when the order is paid (a boleto may be paid days later), and again when the label is created.
 */
export function estimatedDelivery(clock: Clock, timezone: string, days: number | null): string | null {
  return days ? addBusinessDays(localDay(clock.now(), timezone), days) : null;
}
