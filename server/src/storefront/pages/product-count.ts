import { formatCount } from '../../platform/html/count.js';
import type { Language } from '../../platform/html/language.js';
import type { ProductList } from '../product-list.js';

/** Returns the number of products in a list as text. If there are more than 10,000, the text says so. */
export function productCount({ total, isCapped }: ProductList, language: Language): string {
  const count = formatCount(total, language);
  if (language === 'pt') return total === 1 ? '1 produto' : `${isCapped ? `+${count}` : count} produtos`;
  return total === 1 ? '1 product' : `${isCapped ? `${count}+` : count} products`;
}
