import { raw } from '../platform/db/sql.js';

export const ORDER_STATUSES = ['pending', 'paid', 'partial_refunded', 'refunded', 'canceled'] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

export const PAYMENT_METHODS = ['pix', 'card', 'boleto'] as const;

export interface Address {
  street: string;
  number: string;
  complement: string | null;
  district: string;
  city: string;
  state: string;
  zipCode: string;
  country: string;
}

export interface OrderItem {
  productId: string;
  variantId: string | null;
  sku: string | null;
  ean: string | null;
  name: string;
  combination: string | null;
  quantity: number;
  unitPrice: number;
  total: number;
}

export interface OrderCustomer {
  id: string;
  name: string;
  email: string;
  phone: string | null;
  document: string | null;
}

export const INVOICE_TYPES = ['nfe', 'dce'] as const;
export type InvoiceType = (typeof INVOICE_TYPES)[number];

export interface InvoiceRecord {
  type: InvoiceType;
  key: string;
  number: string | null;
  series: string | null;
  issuedAt: string | null;
  amount: number | null;
  xmlUrl: string | null;
  pdfUrl: string | null;
  createdAt: string;
}

export interface OrderRecord {
  id: string;
  number: number;
  status: OrderStatus;
  statusShipping: string;
  codeShipping: string | null;
  carrier: string | null;
  trackingUrl: string | null;
  /** Null if the order has nothing to ship, or if it is older than this column. */
  shippingService: 'economy' | 'express' | null;
  estimatedDelivery: string | null;
  currency: string;
  subtotal: number;
  discount: number;
  shippingCost: number;
  total: number;
  refundedAmount: number;
  payment: { method: string; installments: number; gateway: string; transactionId: string | null };
  customer: OrderCustomer;
  shippingAddress: Address;
  items: OrderItem[];
  /** Oldest first. */
  invoices: InvoiceRecord[];
  /** When the order will be canceled if it is still unpaid. Null once it is paid or canceled. */
  expiresAt: string | null;
  createdAt: string;
  updatedAt: string;
  paidAt: string | null;
  shippedAt: string | null;
  deliveredAt: string | null;
  refundedAt: string | null;
  canceledAt: string | null;
}

export interface Buyer {
  name: string;
  email: string;
  phone: string | null;
  document: string | null;
  address: Address;
}

/** The select list of an OrderRecord, for queries on `orders o`. */
export const orderColumns = raw(`
  o.id, o.number, o.status, o.status_shipping as "statusShipping", o.code_shipping as "codeShipping",
  o.carrier, o.tracking_url as "trackingUrl", nullif(o.shipping_service, 'digital') as "shippingService",
  o.estimated_delivery as "estimatedDelivery", 'BRL' as currency, o.subtotal, o.discount, o.shipping_cost as "shippingCost",
  o.total, o.refunded_amount as "refundedAmount",
  json_build_object('method', o.payment_method, 'installments', o.installments, 'gateway', o.gateway,
    'transactionId', o.transaction_id) as payment,
  o.customer, o.shipping_address as "shippingAddress", o.items,
  coalesce((
    select json_agg(json_build_object('type', i.type, 'key', i.key, 'number', i.number, 'series', i.series,
      'issuedAt', to_char(i.issued_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'amount', trim_scale(i.amount),
      'xmlUrl', i.xml_url, 'pdfUrl', i.pdf_url,
      'createdAt', to_char(i.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by i.created_at, i.key)
    from invoices i where i.workspace_id = o.workspace_id and i.order_id = o.id), '[]') as invoices,
  case when o.status = 'pending' then o.expires_at end as "expiresAt", o.created_at as "createdAt", o.updated_at as "updatedAt",
  o.paid_at as "paidAt", o.shipped_at as "shippedAt", o.delivered_at as "deliveredAt", o.refunded_at as "refundedAt",
  o.canceled_at as "canceledAt"`);

/**
 * The same record as JSON text. It is read from the column `document`, or computed here for orders that have not
 * changed since that column was added.
 */
export const orderJson = raw('coalesce(o.document, order_json(o))');
