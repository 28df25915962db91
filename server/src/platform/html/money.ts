import type { Language } from './language.js';

export const NUMBER_LOCALES: Record<Language, string> = { en: 'en-US', pt: 'pt-BR' };

/** Formats are created at their first use. Creating the first one takes 20 ms, which would delay the server's start. */
const formats: Partial<Record<Language, Intl.NumberFormat>> = {};

/** Formats reais for display: R$ 1.234,50 in Portuguese, R$1,234.50 in English. */
export function money(amount: number, language: Language): string {
  formats[language] ??= new Intl.NumberFormat(NUMBER_LOCALES[language], {
    style: 'currency',
    currency: 'BRL',
  });
  return formats[language].format(amount);
}
