import type { Language } from './language.js';
import { NUMBER_LOCALES } from './money.js';

/** Created at their first use and kept, because toLocaleString() would create a format for each call. */
const formats: Partial<Record<Language, Intl.NumberFormat>> = {};

/** Formats a whole number for display: 10.000 in Portuguese, 10,000 in English. */
export function formatCount(value: number, language: Language): string {
  formats[language] ??= new Intl.NumberFormat(NUMBER_LOCALES[language]);
  return formats[language].format(value);
}
