/**
 * Normal form C combines at most this many UTF-16 code units into one character, for example a Greek letter and three
 * marks. The only exceptions are four rare characters of Unicode 16, which are combined from six units.
 */
export const UNITS_PER_CHARACTER = 4;

/**
 * Normalizing takes time proportional to the square of the number of consecutive combining marks: 78 kB of them blocked
 * the process for six seconds. So the length and the number of consecutive marks are checked first, in linear time.
 * Unicode's stream-safe text format (UAX 15) also allows thirty.
 */
const MAX_RUN = 30;
const MARKS = /\p{M}+/gu;
/** Text without characters above U+02FF is already in normal form C. */
const NEEDS_WORK = /[^\0-\u02ff]/;

/**
 * Returns the text trimmed and in normal form C. Returns undefined if it is much longer than `maxCharacters` or has too
 * many consecutive combining marks. The caller checks the exact length.
 */
export function normalizedName(text: string, maxCharacters: number): string | undefined {
  if (text.length > maxCharacters * UNITS_PER_CHARACTER) return undefined;
  const trimmed = text.trim();
  if (!NEEDS_WORK.test(trimmed)) return trimmed;
  const known = recent.get(trimmed);
  if (known !== undefined) return known;
  return hasLongRun(trimmed) ? undefined : remember(trimmed, trimmed.normalize('NFC'));
}

function hasLongRun(text: string): boolean {
  for (const [run] of text.matchAll(MARKS))
    if (run.length > MAX_RUN && [...run].length > MAX_RUN) return true;
  return false;
}

/** Recent results. A request normalizes the same name several times: to validate, compare and store it. */
const recent = new Map<string, string>();
const MAX_RECENT = 2_048;

function remember(text: string, normalized: string): string {
  if (recent.size >= MAX_RECENT) recent.clear();
  recent.set(text, normalized);
  return normalized;
}
