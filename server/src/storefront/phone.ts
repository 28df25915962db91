/** Returns area code and number, ten or eleven digits, or undefined. The country code of Brazil is removed. */
export function phoneOf(text: string): string | undefined {
  const bare = text.replace(/[\s().-]/g, '').replace(/^(\+55|0055|55(?=\d{10}))/, '');
  return /^[1-9]\d{9,10}$/.test(bare) ? bare : undefined;
}
