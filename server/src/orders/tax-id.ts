/** Returns a CPF or CNPJ without punctuation, or undefined if the text is not a valid one. */
export function taxIdOf(text: string): string | undefined {
  const bare = text.replace(/[\s./-]/g, '').toUpperCase();
  return isCpf(bare) || isCnpj(bare) ? bare : undefined;
}

/** Returns the search term. If it is a CPF or CNPJ, its punctuation is removed, because these are stored without it. */
export function withoutTaxIdPunctuation(search: string): string {
  return taxIdOf(search) ?? search;
}

/** Returns the two check digits for the first nine digits of a CPF. */
export function cpfDigits(nine: string): string {
  const first = remainder(nine, [10, 9, 8, 7, 6, 5, 4, 3, 2]);
  return `${first}${remainder(`${nine}${first}`, [11, 10, 9, 8, 7, 6, 5, 4, 3, 2])}`;
}

/** A CPF with eleven equal digits has valid check digits, but is never issued. */
function isCpf(bare: string): boolean {
  return /^\d{11}$/.test(bare) && !/^(.)\1+$/.test(bare) && bare.endsWith(cpfDigits(bare.slice(0, 9)));
}

/** Since July 2026 a CNPJ may have letters before its check digits; a letter counts as its ASCII code minus 48. */
function isCnpj(bare: string): boolean {
  if (!/^[0-9A-Z]{12}\d{2}$/.test(bare) || /^(.)\1+$/.test(bare)) return false;
  const weights = [5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2];
  const first = remainder(bare.slice(0, 12), weights);
  return bare.endsWith(`${first}${remainder(`${bare.slice(0, 12)}${first}`, [6, ...weights])}`);
}

function remainder(text: string, weights: number[]): number {
  const sum = weights.reduce((total, weight, at) => total + weight * (text.charCodeAt(at) - 48), 0);
  return sum % 11 < 2 ? 0 : 11 - (sum % 11);
}
