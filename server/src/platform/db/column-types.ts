import pg from 'pg';

const INT8 = 20;
const NUMERIC = 1700;
const TIMESTAMPTZ = 1184;
const DATE = 1082;

/**
 * Returns the function that converts the values of a column to JavaScript. A double has enough precision for prices and
 * order totals (14 digits) and for sums of stock. A timestamp stays a string and is only rewritten to RFC 3339, because
 * creating a Date for each timestamp costs more than converting the rest of the row.
 */
export function parseColumn(oid: number, format?: 'text' | 'binary'): (text: string) => unknown {
  if (oid === INT8 || oid === NUMERIC) return Number;
  if (oid === TIMESTAMPTZ) return rfc3339;
  if (oid === DATE) return String;
  return pg.types.getTypeParser(oid, format as 'text');
}

/** Converts "2026-11-15 09:30:00.12+00" to "2026-11-15T09:30:00.120Z". */
function rfc3339(text: string): string {
  const fraction = text.length > 22 ? text.slice(20, -3).padEnd(3, '0') : '000';
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction}Z`;
}
