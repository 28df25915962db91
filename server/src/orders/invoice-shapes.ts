import type { Static } from 'typebox';
import type { FaultDetail } from '../platform/http/errors.js';
import { HttpUrl, Money, Nullable, OneOf, Shape, Time } from '../platform/schema/shapes.js';
import { Type } from '../platform/schema/type.js';
import { ACCESS_KEY, hasValidCheckDigit } from './access-key.js';
import { INVOICE_TYPES } from './records.js';

const EXAMPLE_KEY = '35260112345678000195550010000006041448679017';

const type = OneOf(INVOICE_TYPES, {
  description: 'nfe: Nota Fiscal eletrônica. dce: Declaração de Conteúdo eletrônica.',
});
const key = {
  pattern: ACCESS_KEY,
  description:
    'Access key (chave de acesso), unique in the store. It contains letters only if the CNPJ in it does.',
  examples: [EXAMPLE_KEY],
};
const number = { description: 'Number of the document.', examples: ['604'] };
const series = { description: 'Series of the document.', examples: ['1'] };
const issuedAt = { description: 'When the document was issued (RFC 3339).' };
const amount = { description: 'Total of the document, in reais.', examples: [178.3] };

/** Some ERPs send the number and the series as text, others as integers. Both are stored as text. */
const digits = (max: number, options: object) =>
  Type.Unsafe<string | number | null>({
    type: ['string', 'integer', 'null'],
    pattern: `^[0-9]{1,${max}}$`,
    'x-pattern-means': `must consist of 1 to ${max} digits`,
    minimum: 0,
    maximum: 10 ** max - 1,
    ...options,
  });

export const NewInvoice = Shape(
  'NewInvoice',
  {
    type,
    key: Type.String({
      ...key,
      'x-pattern-means':
        'must have 44 characters: 6 digits, then 12 digits or capital letters, then 26 digits',
    }),
    number: Type.Optional(digits(9, number)),
    series: Type.Optional(digits(3, series)),
    issuedAt: Type.Optional(Nullable(Time({ 'x-time': true, ...issuedAt }))),
    amount: Type.Optional(Nullable(Money(amount))),
    xmlUrl: Type.Optional(Nullable(HttpUrl({ description: 'Where the XML can be downloaded.' }))),
    pdfUrl: Type.Optional(
      Nullable(HttpUrl({ description: 'Where the PDF (DANFE or DACE) can be downloaded.' })),
    ),
  },
  {
    'x-rule': checkDigitFaults,
    examples: [
      {
        type: 'nfe',
        key: EXAMPLE_KEY,
        number: '604',
        series: '1',
        issuedAt: '2026-01-31T12:00:00Z',
        amount: 178.3,
        pdfUrl: 'https://erp.example/nfe/604.pdf',
      },
    ],
  },
);
export type NewInvoice = Static<typeof NewInvoice>;

function checkDigitFaults(body: { key?: unknown }): FaultDetail[] {
  if (typeof body.key !== 'string' || !new RegExp(ACCESS_KEY).test(body.key)) return [];
  const message = 'has a wrong check digit; compare it with the document';
  return hasValidCheckDigit(body.key) ? [] : [{ field: 'key', message }];
}

export const Invoice = Shape('Invoice', {
  type,
  key: Type.String(key),
  number: Nullable(Type.String(number)),
  series: Nullable(Type.String(series)),
  issuedAt: Nullable(Time(issuedAt)),
  amount: Nullable(Type.Number(amount)),
  xmlUrl: Nullable(Type.String({ format: 'uri' })),
  pdfUrl: Nullable(Type.String({ format: 'uri' })),
  createdAt: Time(),
});
export const InvoiceList = Shape('InvoiceList', { data: Type.Array(Invoice) });
export const DeletedInvoice = Shape('DeletedInvoice', {
  id: Type.String({ description: 'The access key of the invoice.', examples: [EXAMPLE_KEY] }),
  deleted: Type.Boolean(),
});
