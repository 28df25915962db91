/**
 * Returns the area code and number of a Brazilian phone: ten or eleven digits, without the country code.
 * Returns undefined for an invalid number.
 */
export function phoneOf(text: string): string | undefined {
  const bare = text.replace(/[\s().-]/g, '').replace(/^(\+55|0055|55(?=\d{10}))/, '');
  return /^[1-9]\d{9,10}$/.test(bare) ? bare : undefined;
}
