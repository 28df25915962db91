import type { Clock } from '../platform/clock.js';
import { addBusinessDays, localDay } from './business-days.js';

/** Pix and card payments are immediate, so a longer reservation would only block stock. */
const UNPAID_MS = 2 * 60 * 60 * 1000;

/** A boleto is due three business days after checkout, and its payment takes up to two more to be confirmed. */
const BOLETO_DUE_DAYS = 3;
const BOLETO_CONFIRMATION_DAYS = 2;

/** Returns when an unpaid order expires: a moment or, for a boleto, the end of a day in the store's time zone. */
export function expiryOf(
  method: string,
  clock: Clock,
  timezone: string,
): { moment: string; day: null } | { moment: null; day: string } {
  if (method !== 'boleto') return { moment: immediateExpiry(clock), day: null };
  return { moment: null, day: addBusinessDays(boletoDueDay(clock, timezone), BOLETO_CONFIRMATION_DAYS) };
}

/** Returns when an order expires if its payment by Pix or card begins now. */
export function immediateExpiry(clock: Clock): string {
  return new Date(clock.now() + UNPAID_MS).toISOString();
}

/** Returns the day (YYYY-MM-DD) on which a boleto that is issued now is due. */
export function boletoDueDay(clock: Clock, timezone: string): string {
  return addBusinessDays(localDay(clock.now(), timezone), BOLETO_DUE_DAYS);
}
