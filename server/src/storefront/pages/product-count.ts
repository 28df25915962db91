import type { Language } from '../../platform/html/language.js';
import type { ProductList } from '../product-list.js';

const LOCALES: Record<Language, string> = { pt: 'pt-BR', en: 'en' };
/** Created on first use, because toLocaleString() would create a format for each call. */
const formats: Partial<Record<Language, Intl.NumberFormat>> = {};

/** Returns the number of products in a list as text. If there are more than 10,000, the text says so. */
export function productCount({ total, isCapped }: ProductList, language: Language): string {
  formats[language] ??= new Intl.NumberFormat(LOCALES[language]);
  const count = formats[language].format(total);
  if (language === 'pt') return total === 1 ? '1 produto' : `${isCapped ? `+${count}` : count} produtos`;
  return total === 1 ? '1 product' : `${isCapped ? `${count}+` : count} products`;
}
