import type { Language } from './language.js';

const FORMATS = {
  en: new Intl.NumberFormat('en-US', { style: 'currency', currency: 'BRL' }),
  pt: new Intl.NumberFormat('pt-BR', { style: 'currency', currency: 'BRL' }),
};

/** Formats reais for display: R$ 1.234,50 in Portuguese, R$1,234.50 in English. */
export function money(amount: number, language: Language): string {
  return FORMATS[language].format(amount);
}
