/**
 * Normalization takes time that grows with the square of a run of combining marks that are out of order: 78 kB of them
 * held the process for six seconds. So length and runs are judged first, in linear time. Thirty marks in a row is the bound
 * of Unicode's own stream-safe text format (UAX 15).
 */
const LONG_RUN = /\p{M}{31}/u;

/** The most code units that one normalized character is made of: a Greek letter with three marks, or a surrogate pair. */
export const UNITS_PER_CHARACTER = 4;

/** Trimmed and in normal form C; undefined for a text that cannot be a name of so many characters. */
export function normalizedName(text: string, maxCharacters: number): string | undefined {
  const trimmed = text.length > maxCharacters * UNITS_PER_CHARACTER ? undefined : text.trim();
  return trimmed === undefined || LONG_RUN.test(trimmed) ? undefined : trimmed.normalize('NFC');
}
