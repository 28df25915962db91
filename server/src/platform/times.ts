const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/;
const FIRST_YEAR = Date.UTC(1970, 0, 1) - 62_135_596_800_000;

/** The moment an RFC 3339 text names, in milliseconds; undefined for any other text, and for a day that does not exist. */
export function timeOf(text: string): number | undefined {
  const match = RFC_3339.exec(text);
  if (!match) return undefined;
  const [year, month, day] = match.slice(1, 4).map(Number) as [number, number, number];
  if (!isDay(year, month, day)) return undefined;
  const moment = Date.parse(text.toUpperCase().replace(' ', 'T'));
  // PostgreSQL knows no year 0, which an offset could lead to.
  return Number.isNaN(moment) || moment < FIRST_YEAR ? undefined : moment;
}

function isDay(year: number, month: number, day: number): boolean {
  const date = new Date(Date.UTC(year, month - 1, day));
  return year >= 1 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}
