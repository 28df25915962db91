export interface Boleto {
  id: string;
  amount: number;
  /** The due date (YYYY-MM-DD). */
  dueOn: string | null;
}

/**
 * Returns the code that a buyer types to pay a boleto (linha digitável): 47 digits in groups, including check digits.
 * Its bank code 000 belongs to no bank.
 */
export function boletoLine(boleto: Boleto): string {
  const { check, due, value, free } = partsOf(boleto);
  const parts = [`${BANK_AND_CURRENCY}${free.slice(0, 5)}`, free.slice(5, 15), free.slice(15)].map(
    (part) => `${part}${mod10(part)}`,
  );
  const [first, second, third] = parts.map((part) => `${part.slice(0, 5)}.${part.slice(5)}`);
  return `${first} ${second} ${third} ${check} ${due}${value}`;
}

/**
 * Returns the 44 digits of the barcode: those of `boletoLine` in another order, without the check digits of its first
 * three groups.
 */
export function boletoBarcode(boleto: Boleto): string {
  const { check, due, value, free } = partsOf(boleto);
  return `${BANK_AND_CURRENCY}${check}${due}${value}${free}`;
}

const BANK_AND_CURRENCY = '0009';

function partsOf({ id, amount, dueOn }: Boleto) {
  const free = BigInt(`0x${id.replace(/[^0-9a-f]/g, '') || '0'}`)
    .toString()
    .padStart(25, '0')
    .slice(-25);
  const value = Math.round(amount * 100)
    .toString()
    .padStart(10, '0')
    .slice(-10);
  const due = dueOn === null ? '0000' : dueFactor(dueOn);
  return { check: mod11(`${BANK_AND_CURRENCY}${due}${value}${free}`), due, value, free };
}

/**
 * Returns the due date as four digits (fator de vencimento): the number of days since 7 October 1997. After reaching
 * 9999, it restarted at 1000 on 22 February 2025.
 */
function dueFactor(day: string): string {
  const days = (Date.parse(day) - Date.parse('1997-10-07')) / (24 * 60 * 60 * 1000);
  return String(((days - 1000) % 9000) + 1000);
}

function mod10(digits: string): number {
  const sum = [...digits].reverse().reduce((total, digit, at) => {
    const product = Number(digit) * (at % 2 === 0 ? 2 : 1);
    return total + (product > 9 ? product - 9 : product);
  }, 0);
  return (10 - (sum % 10)) % 10;
}

function mod11(digits: string): number {
  const sum = [...digits].reverse().reduce((total, digit, at) => total + Number(digit) * (2 + (at % 8)), 0);
  const rest = 11 - (sum % 11);
  return rest > 9 ? 1 : rest;
}
