import type { Clock } from '../platform/clock.js';
import { addBusinessDays, localDay } from './business-days.js';

/**
 * The day (YYYY-MM-DD) on which a parcel should arrive if the carrier's business days are counted from today in the store's
 * time zone; null when nothing is sent. It is computed at checkout, again when the order is paid (a boleto may be paid days
 * later), and again when the label is made.
 */
export function estimatedDelivery(clock: Clock, timezone: string, days: number | null): string | null {
  return days ? addBusinessDays(localDay(clock.now(), timezone), days) : null;
}
