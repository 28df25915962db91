const DAY_MS = 24 * 60 * 60 * 1000;

/** Month and day of the national holidays that have a fixed date. */
const FIXED_HOLIDAYS = [
  '01-01', // New Year
  '04-21', // Tiradentes
  '05-01', // Labour Day
  '09-07', // Independence
  '10-12', // Our Lady of Aparecida
  '11-02', // All Souls
  '11-15', // Proclamation of the Republic
  '11-20', // Black Consciousness, national since 2024
  '12-25', // Christmas
];

/**
 * Days relative to Easter: Monday and Tuesday of Carnival, Good Friday, and Corpus Christi. Carnival and Corpus
 * Christi are not national holidays by law, but banks are closed and settle no payments.
 */
const EASTER_HOLIDAYS = [-48, -47, -2, 60];

/** Returns the day (YYYY-MM-DD) that is `count` Brazilian business days after `day`. */
export function addBusinessDays(day: string, count: number): string {
  let time = Date.parse(day);
  for (let left = count; left > 0; ) {
    time += DAY_MS;
    if (isBusinessDay(time)) left--;
  }
  return dayOf(time);
}

/** Returns the local date (YYYY-MM-DD) of a time in a time zone. */
export function localDay(moment: number, timeZone: string): string {
  let format = dayFormats.get(timeZone);
  if (!format) {
    // The Canadian date format is YYYY-MM-DD.
    format = new Intl.DateTimeFormat('en-CA', { timeZone });
    dayFormats.set(timeZone, format);
  }
  return format.format(moment);
}

/**
 * Formats are cached, because creating one takes a hundred times as long as using it. There are only a few hundred time
 * zones, so the map stays small.
 */
const dayFormats = new Map<string, Intl.DateTimeFormat>();

function isBusinessDay(time: number): boolean {
  const date = new Date(time);
  if (date.getUTCDay() === 0 || date.getUTCDay() === 6) return false;
  if (FIXED_HOLIDAYS.includes(dayOf(time).slice(5))) return false;
  const daysAfterEaster = Math.round((time - easter(date.getUTCFullYear())) / DAY_MS);
  return !EASTER_HOLIDAYS.includes(daysAfterEaster);
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Returns Easter Sunday of a year in the Gregorian calendar, by the algorithm of Meeus, Jones and Butcher. */
function easter(year: number): number {
  const a = year % 19;
  const b = Math.floor(year / 100);
  const c = year % 100;
  const d = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30;
  const e = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - d - (c % 4)) % 7;
  const m = Math.floor((a + 11 * d + 22 * e) / 451);
  const n = d + e - 7 * m + 114;
  return Date.UTC(year, Math.floor(n / 31) - 1, (n % 31) + 1);
}
