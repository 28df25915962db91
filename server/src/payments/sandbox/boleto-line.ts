/** The digits that are typed to pay a boleto: 47 digits with check digits, of a bank (000) that does not exist. */
export function boletoLine({ id, amount }: { id: string; amount: number }): string {
  const free = BigInt(`0x${id.replace(/[^0-9a-f]/g, '') || '0'}`)
    .toString()
    .padStart(25, '0')
    .slice(-25);
  const value = Math.round(amount * 100)
    .toString()
    .padStart(10, '0')
    .slice(-10);
  const due = '0000';
  const check = mod11(`0009${due}${value}${free}`);
  const parts = [`0009${free.slice(0, 5)}`, free.slice(5, 15), free.slice(15)].map(
    (part) => `${part}${mod10(part)}`,
  );
  const [first, second, third] = parts.map((part) => `${part.slice(0, 5)}.${part.slice(5)}`);
  return `${first} ${second} ${third} ${check} ${due}${value}`;
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
