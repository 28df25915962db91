import type { FaultDetail } from '../platform/http/errors.js';
import { Meta, pagingQuery } from '../platform/lists/paging.js';
import { HttpUrl, Id, Nullable, OneOf, Shape, Text, Time } from '../platform/schema/shapes.js';
import { Type } from '../platform/schema/type.js';
import { Invoice } from './invoice-shapes.js';
import { ORDER_STATUSES, PAYMENT_METHODS } from './records.js';
import { SHIPPING_STATUSES } from './shipping-status.js';

const text = (example: string) => Type.String({ examples: [example] });
const amount = (example: number) => Type.Number({ examples: [example] });
const listOf = (values: readonly string[], example: string) =>
  Type.String({
    'x-list-of': values,
    description: `One or several of ${values.join(', ')}, separated by commas.`,
    examples: [example],
  });

const address = Type.Object({
  street: text('Rua das Flores'),
  number: text('120'),
  complement: Nullable(text('Apto 42')),
  district: text('Centro'),
  city: text('São Paulo'),
  state: text('SP'),
  zipCode: text('01001000'),
  country: text('BR'),
});

const orderFields = {
  id: Id(),
  number: Type.Integer({ examples: [1001] }),
  status: OneOf<string>(ORDER_STATUSES, { title: 'OrderStatus' }),
  statusShipping: OneOf<string>(SHIPPING_STATUSES, { title: 'ShippingStatus' }),
  codeShipping: Nullable(Type.String({ description: 'Shipment code', examples: ['AA123456785BR'] })),
  carrier: Nullable(text('Correios')),
  trackingUrl: Nullable(text('https://rastreio.example/AA123456785BR')),
  shippingService: Type.Unsafe<'economy' | 'express' | null>({
    type: ['string', 'null'],
    enum: ['economy', 'express', null],
    description:
      'The delivery service that the buyer chose. null if nothing is shipped, or if the order was placed before this field existed.',
    examples: ['economy'],
  }),
  estimatedDelivery: Nullable(
    Type.String({
      format: 'date',
      description:
        "The day on which the parcel should arrive, in the store's time zone. Estimated at checkout, and again when the order is paid and when the label is created. null if nothing is shipped; may be null if the order was placed before this field existed.",
      examples: ['2026-02-04'],
    }),
  ),
  currency: OneOf<string>(['BRL']),
  subtotal: amount(159.8),
  discount: amount(0),
  shippingCost: amount(18.5),
  total: amount(178.3),
  refundedAmount: amount(0),
  payment: Type.Object({
    method: OneOf<string>(PAYMENT_METHODS, { examples: ['pix'] }),
    installments: Type.Integer({ examples: [1] }),
    gateway: text('sandbox'),
    transactionId: Nullable(text('sbx_4f1c9a')),
  }),
  customer: Type.Object({
    id: Id(),
    name: text('Bia Souza'),
    email: text('bia@cliente.example'),
    phone: Nullable(text('11999990000')),
    document: Nullable(
      Type.String({
        description: 'Tax number (CPF or CNPJ) without punctuation. A CNPJ may contain letters.',
        examples: ['52998224725'],
      }),
    ),
  }),
  shippingAddress: address,
  items: Type.Array(
    Type.Object({
      productId: Id(),
      variantId: Nullable(Id()),
      sku: Nullable(text('CAM-P-AZ')),
      ean: Nullable(text('7891234567895')),
      name: text('Camiseta Básica'),
      combination: Nullable(text('P - Azul')),
      quantity: Type.Integer({ examples: [2] }),
      unitPrice: amount(79.9),
      total: amount(159.8),
    }),
  ),
  invoices: Type.Array(Invoice, { description: 'Oldest first.' }),
  expiresAt: Nullable(
    Type.String({
      format: 'date-time',
      description:
        'When an unpaid order is canceled and its stock is released: two hours after checkout or, for a boleto, two business days after its due date. If the buyer changes from boleto to another method, at most two hours after the change. null if the order is no longer pending.',
    }),
  ),
  createdAt: Time(),
  updatedAt: Time(),
  paidAt: Nullable(Time()),
  shippedAt: Nullable(Time()),
  deliveredAt: Nullable(Time()),
  refundedAt: Nullable(Time()),
  canceledAt: Nullable(Time()),
};

export const Order = Shape('Order', orderFields);
export const OrderList = Shape('OrderList', { data: Type.Array(Order), meta: Meta });

const day = (description: string) => Type.String({ 'x-day': true, description, examples: ['2026-01-31'] });
const time = (description: string) => Type.String({ 'x-time': true, description });

const search = (description: string) => Type.Optional(Text(255, { description }));

export const orderFilters = {
  dateType: Type.Optional(OneOf(['created', 'updated'])),
  from: Type.Optional(day("First day, in the store's time zone.")),
  to: Type.Optional(day('Last day, inclusive.')),
  search: search(
    'Part of the order number, customer name, e-mail, document (CPF or CNPJ), SKU or shipment code. A document is found with or without its punctuation.',
  ),
  status: Type.Optional(listOf(ORDER_STATUSES, 'paid,partial_refunded')),
  statusShipping: Type.Optional(listOf(SHIPPING_STATUSES, 'pending,preparing')),
  updatedFrom: Type.Optional(time('Changed at this time or later (RFC 3339).')),
  updatedTo: Type.Optional(time('Changed at this time or earlier (RFC 3339).')),
};

export const OrderQuery = Type.Object({
  ...pagingQuery,
  sort: Type.Optional(
    Type.String({
      description:
        'createdAt or updatedAt; a leading - sorts in descending order. Default: -createdAt, or -updatedAt if dateType is updated.',
    }),
  ),
  ...orderFilters,
});

export const ShippingChange = Shape(
  'ShippingChange',
  {
    statusShipping: OneOf(SHIPPING_STATUSES, { title: 'ShippingStatus' }),
    codeShipping: Type.Optional(Nullable(Text(100, { examples: ['AA123456785BR'] }))),
    carrier: Type.Optional(Nullable(Text(100, { examples: ['Correios'] }))),
    trackingUrl: Type.Optional(Nullable(HttpUrl())),
  },
  {
    examples: [
      {
        statusShipping: 'sent',
        codeShipping: 'AA123456785BR',
        carrier: 'Correios',
        trackingUrl: 'https://rastreio.example/AA123456785BR',
      },
    ],
  },
);

export const RefundRequest = Shape(
  'RefundRequest',
  {
    reason: Type.Optional(Nullable(Text(500))),
    restock: Type.Optional(Type.Boolean({ description: 'Return the items to stock. Default: false.' })),
  },
  {
    'x-rule': amountFaults,
    description: 'Refunds everything that is not refunded yet. A body with amount is rejected.',
    examples: [{ reason: 'Arrived broken', restock: true }],
  },
);

function amountFaults(body: object): FaultDetail[] {
  const message = 'is not accepted, because a refund always covers the whole balance';
  return Object.hasOwn(body, 'amount') ? [{ field: 'amount', message }] : [];
}

export const RefundedOrder = Shape('RefundedOrder', {
  ...orderFields,
  refund: Type.Object({
    id: Id(),
    amount: amount(178.3),
    reason: Nullable(text('Arrived broken')),
    createdAt: Time(),
  }),
});

export const Customer = Shape('Customer', {
  id: Id(),
  name: text('Bia Souza'),
  email: text('bia@cliente.example'),
  phone: Nullable(text('11999990000')),
  document: Nullable(text('52998224725')),
  address: Type.Unsafe<object | null>({ ...address, type: ['object', 'null'] }),
  ordersCount: Type.Integer({
    description: 'Number of paid orders, including refunded ones.',
    examples: [3],
  }),
  totalSpent: Type.Number({ description: 'Net of refunds.', examples: [534.9] }),
  firstOrderAt: Time(),
  lastOrderAt: Time(),
});
export const CustomerList = Shape('CustomerList', { data: Type.Array(Customer), meta: Meta });

export const customerFilters = {
  search: search(
    'Part of the name, e-mail, document (CPF or CNPJ) or phone number. A document is found with or without its punctuation.',
  ),
};
export const CustomerQuery = Type.Object({
  ...pagingQuery,
  sort: Type.Optional(
    Type.String({
      description: 'lastOrderAt; a leading - sorts in descending order. Default: -lastOrderAt.',
    }),
  ),
  ...customerFilters,
});
