export const STATES = [
  ...['AC', 'AL', 'AP', 'AM', 'BA', 'CE', 'DF', 'ES', 'GO', 'MA', 'MT', 'MS', 'MG', 'PA', 'PB', 'PR', 'PE'],
  ...['PI', 'RJ', 'RN', 'RS', 'RO', 'RR', 'SC', 'SP', 'SE', 'TO'],
];

/** Returns a CPF or CNPJ without punctuation, or undefined if its check digits are wrong. */
export function taxIdOf(text: string): string | undefined {
  const bare = text.replace(/[\s./-]/g, '').toUpperCase();
  return isCpf(bare) || isCnpj(bare) ? bare : undefined;
}

/** Returns eight digits, or undefined for anything else. */
export function postalCodeOf(text: string): string | undefined {
  const bare = text.replace(/[\s.-]/g, '');
  return /^\d{8}$/.test(bare) ? bare : undefined;
}

/** Returns area code and number, ten or eleven digits, without a leading country code of Brazil. */
export function phoneOf(text: string): string | undefined {
  const bare = text.replace(/[\s().-]/g, '').replace(/^(\+55|0055|55(?=\d{10}))/, '');
  return /^[1-9]\d{9,10}$/.test(bare) ? bare : undefined;
}

/** Returns the two check digits for the first nine digits of a CPF. */
export function cpfDigits(nine: string): string {
  const first = remainder(nine, [10, 9, 8, 7, 6, 5, 4, 3, 2]);
  return `${first}${remainder(`${nine}${first}`, [11, 10, 9, 8, 7, 6, 5, 4, 3, 2])}`;
}

/** Numbers with identical digits have valid check digits, but are never issued. */
function isCpf(bare: string): boolean {
  return /^\d{11}$/.test(bare) && !/^(.)\1+$/.test(bare) && bare.endsWith(cpfDigits(bare.slice(0, 9)));
}

/** Since July 2026 a CNPJ may contain letters before its check digits; each counts by its ASCII value. */
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
