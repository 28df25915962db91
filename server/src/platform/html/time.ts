import type { Language } from './language.js';

const LOCALES: Record<Language, string> = { en: 'en-GB', pt: 'pt-BR' };

interface TimeFormat {
  dateStyle: 'medium' | 'long';
  /** If absent, only the date is shown. */
  timeStyle?: 'short';
  timeZone: string;
}

/** Creating a format takes a hundred times as long as using it. There are few time zones, so the map stays small. */
const formats = new Map<string, Intl.DateTimeFormat>();

export function formatTime(time: string, language: Language, format: TimeFormat): string {
  const key = `${language} ${format.dateStyle} ${format.timeStyle} ${format.timeZone}`;
  let known = formats.get(key);
  if (!known) {
    known = new Intl.DateTimeFormat(LOCALES[language], format);
    formats.set(key, known);
  }
  return known.format(new Date(time));
}

/** Formats a time for display in UTC and names the time zone, because we do not know the reader's. */
export function shortTime(time: string, language: Language): string {
  return `${formatTime(time, language, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })} UTC`;
}
