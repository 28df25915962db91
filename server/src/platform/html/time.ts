import type { Language } from './language.js';

const FORMATS = {
  en: new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }),
  pt: new Intl.DateTimeFormat('pt-BR', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }),
};

/** Formats a time for display in UTC and names the time zone, because we do not know the reader's. */
export function shortTime(time: string, language: Language): string {
  return `${FORMATS[language].format(new Date(time))} UTC`;
}
