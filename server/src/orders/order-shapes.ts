import { Type } from 'typebox';
import { Meta, pagingQuery } from '../platform/paging.js';
import { HttpUrl, Id, Nullable, Shape, Text, Time } from '../platform/shapes.js';
import { ORDER_STATUSES } from './records.js';
import { SHIPPING_STATUSES, type ShippingStatus } from './shipping-status.js';

const text = (example: string) => Type.String({ examples: [example] });
const oneOf = <T extends string>(values: readonly T[]) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values] });

const address = Type.Object({
  street: text('Rua das Flores'),
  number: text('120'),
  complement: Nullable(Type.String()),
  district: text('Centro'),
  city: text('São Paulo'),
  state: text('SP'),
  zipCode: text('01001000'),
  country: text('BR'),
});

const orderFields = {
  id: Id(),
  number: Type.Integer({ examples: [1001] }),
  status: Type.String({ description: ORDER_STATUSES.join(', ') }),
  statusShipping: Type.String({ description: SHIPPING_STATUSES.join(', ') }),
  codeShipping: Nullable(Type.String({ description: 'Shipment code' })),
  carrier: Nullable(Type.String()),
  trackingUrl: Nullable(Type.String()),
  currency: text('BRL'),
  subtotal: Type.Number(),
  discount: Type.Number(),
  shippingCost: Type.Number(),
  total: Type.Number(),
  refundedAmount: Type.Number(),
  payment: Type.Object({
    method: text('pix'),
    installments: Type.Integer(),
    gateway: text('sandbox'),
    transactionId: Nullable(Type.String()),
  }),
  customer: Type.Object({
    id: Id(),
    name: text('Bia Souza'),
    email: text('bia@cliente.example'),
    phone: Nullable(Type.String()),
    document: Nullable(Type.String({ description: 'CPF or CNPJ, digits only' })),
  }),
  shippingAddress: address,
  items: Type.Array(
    Type.Object({
      productId: Id(),
      variantId: Nullable(Type.String()),
      sku: Nullable(Type.String()),
      ean: Nullable(Type.String()),
      name: Type.String(),
      combination: Nullable(Type.String()),
      quantity: Type.Integer(),
      unitPrice: Type.Number(),
      total: Type.Number(),
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

export const orderFilters = {
  dateType: Type.Optional(oneOf(['created', 'updated'])),
  from: Type.Optional(day("First day, in the store's time zone.")),
  to: Type.Optional(day('Last day, included.')),
  search: Type.Optional(
    Type.String({
      'x-text': true,
      maxLength: 255,
      description: 'Part of number, customer name, e-mail, document, SKU or shipment code.',
    }),
  ),
  status: Type.Optional(oneOf(ORDER_STATUSES)),
  statusShipping: Type.Optional(oneOf(SHIPPING_STATUSES)),
  updatedFrom: Type.Optional(time('Changed at this time or later (RFC 3339).')),
  updatedTo: Type.Optional(time('Changed at this time or earlier (RFC 3339).')),
};

export const OrderQuery = Type.Object({
  ...pagingQuery,
  sort: Type.Optional(
    Type.String({
      description:
        'createdAt or updatedAt; - in front descends. Newest first by the chosen date unless told.',
    }),
  ),
  ...orderFilters,
});

export const ShippingChange = Shape('ShippingChange', {
  statusShipping: Type.Unsafe<ShippingStatus>({ type: 'string', enum: [...SHIPPING_STATUSES] }),
  codeShipping: Type.Optional(Nullable(Text(100, { examples: ['AA123456785BR'] }))),
  carrier: Type.Optional(Nullable(Text(100, { examples: ['Correios'] }))),
  trackingUrl: Type.Optional(Nullable(HttpUrl())),
});

export const RefundRequest = Shape(
  'RefundRequest',
  {
    reason: Type.Optional(Nullable(Text(500))),
    restock: Type.Optional(Type.Boolean({ description: 'Give the items back to stock. False unless told.' })),
  },
  { 'x-no-amount': true, description: 'Always the whole balance: an amount is refused.' },
);

export const RefundedOrder = Shape('RefundedOrder', {
  ...orderFields,
  refund: Type.Object({
    id: Id(),
    amount: Type.Number(),
    reason: Nullable(Type.String()),
    createdAt: Time(),
  }),
});

export const Customer = Shape('Customer', {
  id: Id(),
  name: Type.String(),
  email: Type.String(),
  phone: Nullable(Type.String()),
  document: Nullable(Type.String()),
  address: Type.Unsafe<object | null>({ ...address, type: ['object', 'null'] }),
  ordersCount: Type.Integer({ description: 'Paid orders, refunded ones too.' }),
  totalSpent: Type.Number({ description: 'Net of refunds.' }),
  firstOrderAt: Time(),
  lastOrderAt: Time(),
});
export const CustomerList = Shape('CustomerList', { data: Type.Array(Customer), meta: Meta });

export const customerFilters = { search: orderFilters.search };
export const CustomerQuery = Type.Object({
  ...pagingQuery,
  sort: Type.Optional(
    Type.String({ description: 'lastOrderAt; - in front descends. -lastOrderAt unless told.' }),
  ),
  ...customerFilters,
});
