/** The most code units that one normalized character is made of: a Greek letter with three marks, or a surrogate pair. */
export const UNITS_PER_CHARACTER = 4;

/**
 * Normalization takes time that grows with the square of a run of combining marks that are out of order: 78 kB of them
 * held the process for six seconds. So length and runs are judged first, in linear time. Thirty marks in a row is the bound
 * of Unicode's own stream-safe text format (UAX 15).
 */
const MAX_RUN = 30;
const MARKS = /\p{M}+/gu;
/** Below U+0300 every text is in normal form C as it is. */
const NEEDS_WORK = /[^\0-\u02ff]/;

/** Trimmed and in normal form C; undefined for a text that cannot be a name of so many characters. */
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

/** One request reads the same name several times: to judge it, to compare it with others and to store it. */
const recent = new Map<string, string>();
const MAX_RECENT = 2_048;

function remember(text: string, normalized: string): string {
  if (recent.size >= MAX_RECENT) recent.clear();
  recent.set(text, normalized);
  return normalized;
}
