// Decoders for payment codes, written from the published specifications and independent of the code that creates
// them.

/**
 * Returns the id and value of each field of a Pix code, in the order of the code. Throws if an id or a length is not
 * two digits, or if a value is shorter than its declared length.
 */
export function emvFields(code: string): [id: string, value: string][] {
  const fields: [string, string][] = [];
  for (let at = 0; at < code.length; ) {
    const length = Number(code.slice(at + 2, at + 4));
    const value = code.slice(at + 4, at + 4 + length);
    if (!/^\d{4}$/.test(code.slice(at, at + 4)) || value.length !== length)
      throw new Error(`no valid EMV field at position ${at} of ${code}`);
    fields.push([code.slice(at, at + 2), value]);
    at += 4 + length;
  }
  return fields;
}

/**
 * CRC-16/CCITT-FALSE as polynomial division over the bits of the text, with the first 16 inverted and 16 zeros
 * appended.
 */
export function crc16(text: string): string {
  const bits = [...Buffer.from(text)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const dividend = [...`${bits}${'0'.repeat(16)}`].map((bit, at) => Number(bit) ^ (at < 16 ? 1 : 0));
  const divisor = [...'10001000000100001'].map(Number);
  for (let at = 0; at < bits.length; at++)
    if (dividend[at]) for (const [offset, bit] of divisor.entries()) dividend[at + offset]! ^= bit;
  return Number.parseInt(dividend.slice(-16).join(''), 2).toString(16).toUpperCase().padStart(4, '0');
}

/** Returns whether all four check digits of a boleto line are correct (FEBRABAN: three modulo 10, one modulo 11). */
export function isBoletoLine(line: string): boolean {
  const digits = line.replace(/[ .]/g, '');
  const match = /^(\d{9})(\d)(\d{10})(\d)(\d{10})(\d)(\d)(\d{14})$/.exec(digits);
  if (!match) return false;
  const [, first, a, second, b, third, c, general, dueAndValue] = match as unknown as string[];
  const bankAndCurrency = first!.slice(0, 4);
  const barcode = `${bankAndCurrency}${general}${dueAndValue}${first!.slice(4)}${second}${third}`;
  return [first + a!, second + b!, third + c!].every(isModulo10) && isModulo11(barcode);
}

/** The digits of all weighted values, including the check digit, must add up to a multiple of ten. */
function isModulo10(block: string): boolean {
  const weights = [...block].map((_, index) => ((block.length - 1 - index) % 2 === 0 ? 1 : 2));
  const products = [...block].map((digit, index) => String(Number(digit) * weights[index]!)).join('');
  return [...products].reduce((sum, digit) => sum + Number(digit), 0) % 10 === 0;
}

/**
 * The fifth digit is 11 minus (the weighted sum of the other 43 digits, modulo 11), or 1 if the result is 0, 10 or 11.
 * From the right, the weights are 2 to 9, again and again.
 */
function isModulo11(barcode: string): boolean {
  const others = [...(barcode.slice(0, 4) + barcode.slice(5))].reverse().map(Number);
  const weights = [2, 3, 4, 5, 6, 7, 8, 9];
  const rest = 11 - (others.reduce((sum, digit, index) => sum + digit * weights[index % 8]!, 0) % 11);
  return Number(barcode[4]) === (rest === 10 || rest === 11 || rest === 0 ? 1 : rest);
}
