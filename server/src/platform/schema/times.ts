// Date.parse would also accept 24:00, which RFC 3339 does not allow.
const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt ]([01]\d|2[0-3]):(\d\d):(\d\d)(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/;
const FIRST = Date.parse('0001-01-01T00:00:00Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Parses an RFC 3339 timestamp to milliseconds. Returns undefined for any other text, for a day that does not exist,
 * for a leap second, for more than nine decimals and for a time outside the years 1 to 9999 in UTC.
 */
export function timeOf(text: string): number | undefined {
  const match = RFC_3339.exec(text);
  if (!match) return undefined;
  const [year, month, day] = match.slice(1, 4).map(Number) as [number, number, number];
  if (!isDay(year, month, day)) return undefined;
  const moment = Date.parse(text.toUpperCase().replace(' ', 'T'));
  // Converted to UTC, a time may fall into the year 0 or 10000. PostgreSQL has no year 0, and RFC 3339 has no year
  // 10000.
  return moment >= FIRST && moment <= LAST ? moment : undefined;
}

/**
 * Converts a timestamp to UTC, because PostgreSQL does not accept every offset that RFC 3339 allows. The text must be
 * one that timeOf can parse.
 */
export function isoOf(text: string): string {
  return new Date(timeOf(text) as number).toISOString();
}

/** Returns whether the text is a day that exists, in the format YYYY-MM-DD. */
export function isDayText(text: string): boolean {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  return match !== null && isDay(Number(match[1]), Number(match[2]), Number(match[3]));
}

function isDay(year: number, month: number, day: number): boolean {
  const date = new Date(Date.UTC(year, month - 1, day));
  return year >= 1 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}
