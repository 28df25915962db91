/** The format of the access key of a Brazilian fiscal document. It contains letters only if the CNPJ in it does. */
export const ACCESS_KEY = '^[0-9]{6}[0-9A-Z]{12}[0-9]{26}$';

/**
 * Returns whether the check digit is correct: modulo 11 with weights 2 to 9 from the right. Letters, which an
 * alphanumeric CNPJ adds to the key, count as their ASCII code minus 48.
 */
export function hasValidCheckDigit(key: string): boolean {
  const sum = [...key.slice(0, -1)]
    .reverse()
    .reduce((total, character, index) => total + (character.charCodeAt(0) - 48) * (2 + (index % 8)), 0);
  const rest = sum % 11;
  return Number(key.at(-1)) === (rest < 2 ? 0 : 11 - rest);
}

/** Formats the key in groups of four, as it is printed on documents. */
export function groupedKey(key: string): string {
  return key.replace(/(.{4})(?=.)/g, '$1 ');
}
