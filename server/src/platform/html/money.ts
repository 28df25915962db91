import type { Language } from './language.js';

export const NUMBER_LOCALES: Record<Language, string> = { en: 'en-US', pt: 'pt-BR' };

/** What precedes the amount. Portuguese has a space, at which lines do not break, between the symbol and the amount. */
const SYMBOLS: Record<Language, string> = { en: 'R$', pt: 'R$\u00a0' };

/**
 * Formats whole cents for display: R$ 1.234,50 in Portuguese, R$1,234.50 in English. Intl.NumberFormat returns the same
 * text, but takes several times as long.
 */
export function money(amount: number, language: Language): string {
  const [decimal, group] = language === 'pt' ? [',', '.'] : ['.', ','];
  const digits = Math.abs(amount).toFixed(2);
  let whole = digits.slice(0, -3);
  for (let at = whole.length - 3; at > 0; at -= 3) whole = `${whole.slice(0, at)}${group}${whole.slice(at)}`;
  return `${amount < 0 ? '-' : ''}${SYMBOLS[language]}${whole}${decimal}${digits.slice(-2)}`;
}
