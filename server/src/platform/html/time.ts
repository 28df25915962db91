import type { Language } from './language.js';

const FORMATS = {
  en: new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }),
  pt: new Intl.DateTimeFormat('pt-BR', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }),
};

/** A time for a person, with its zone: we do not know theirs. */
export function shortTime(time: string, language: Language): string {
  return `${FORMATS[language].format(new Date(time))} UTC`;
}
