import { expect, test } from 'vitest';
import { boletoBarcode, boletoLine } from '../../src/payments/sandbox/boleto-line.js';
import { interleaved2of5 } from '../../src/payments/sandbox/interleaved-2-of-5.js';
import { pixCode } from '../../src/payments/sandbox/pix-code.js';
import { crc16, emvFields, isBoletoLine } from '../support/payment-codes.js';
import { Random } from '../support/random.js';
import { readInterleaved2of5 } from '../support/read-barcode.js';

// The example in the Pix manual of the Banco Central ("Manual de Padrões para Iniciação do Pix").
const PUBLISHED_PIX =
  '00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D';
// The example in Banco do Brasil's description of the FEBRABAN layout.
const PUBLISHED_BOLETO = '00190.50095 40144.816069 06809.350314 3 37370000000100';

test('the decoders of Pix codes and boleto lines agree with the published examples', () => {
  expect(crc16('123456789')).toBe('29B1');
  expect(crc16(PUBLISHED_PIX.slice(0, -4))).toBe('1D3D');
  expect(new Map(emvFields(PUBLISHED_PIX)).get('59')).toBe('Fulano de Tal');
  expect(isBoletoLine(PUBLISHED_BOLETO)).toBe(true);
  for (let at = 0; at < PUBLISHED_BOLETO.length; at++) {
    const digit = PUBLISHED_BOLETO[at]!;
    if (!/\d/.test(digit)) continue;
    const other = String((Number(digit) + 1) % 10);
    expect(isBoletoLine(PUBLISHED_BOLETO.slice(0, at) + other + PUBLISHED_BOLETO.slice(at + 1))).toBe(false);
  }
});

const random = new Random(44);
const payments = Array.from({ length: 300 }, (_, index) => ({
  id: Array.from({ length: 32 }, () => random.below(16).toString(16)).join(''),
  amount: index === 0 ? 0.01 : random.below(100_000_000) / 100,
  storeName: ['Loja São João', 'A', 'Padaria & Confeitaria do Zé Ltda – Matriz', '店'][index % 4]!,
}));

test('every Pix code is a sequence of EMV fields in the order of their ids, with the amount in reais and a correct checksum', () => {
  for (const payment of payments) {
    const code = pixCode(payment);
    const fields = emvFields(code);
    expect(fields.at(-1)).toEqual(['63', crc16(code.slice(0, -4))]);
    expect(new Map(fields).get('54')).toBe(payment.amount.toFixed(2));
    expect(new Map(fields).get('53')).toBe('986');
    expect(fields.map(([id]) => id)).toEqual([...fields.map(([id]) => id)].sort());
  }
});

test('every boleto line has four correct check digits and the amount', () => {
  for (const payment of payments) {
    const line = boletoLine({ ...payment, dueOn: '2026-11-19' });
    expect([line, isBoletoLine(line)]).toEqual([line, true]);
    expect(Number(line.slice(-10))).toBe(Math.round(payment.amount * 100));
  }
});

test('the due date of a boleto is encoded as a day number (factor), which restarted at 1000 on 22 February 2025', () => {
  const [payment] = payments;
  const factorOf = (dueOn: string | null) => boletoLine({ ...payment!, dueOn }).slice(-14, -10);
  // Dates and factors published by FEBRABAN.
  expect(factorOf('2000-07-03')).toBe('1000');
  expect(factorOf('2025-02-21')).toBe('9999');
  expect(factorOf('2025-02-22')).toBe('1000');
  expect(factorOf(null)).toBe('0000');
});

test('the barcode of a boleto has the content of its line, and can be read by a decoder', () => {
  for (const payment of payments.slice(0, 20)) {
    const boleto = { ...payment, dueOn: '2026-11-19' };
    const read = readInterleaved2of5(interleaved2of5(boletoBarcode(boleto)));
    expect(read).toBe(boletoBarcode(boleto));
    const digits = boletoLine(boleto).replace(/[ .]/g, '');
    const free = digits.slice(4, 9) + digits.slice(10, 20) + digits.slice(21, 31);
    expect(read).toBe(digits.slice(0, 4) + digits[32] + digits.slice(33) + free);
  }
});
