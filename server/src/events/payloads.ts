import type { TSchema } from 'typebox';
import { Money } from '../platform/schema/shapes.js';
import { Type } from '../platform/schema/type.js';
import { CHANGED_FIELDS } from './changed-fields.js';
import type { EventName } from './names.js';

interface Payload {
  summary: string;
  data: TSchema;
  example: Record<string, unknown>;
}

const PRODUCT = '01a1df25-7929-7c23-b2dc-ac78e5c21043';
const ORDER = '01a1df2b-02c4-7d5e-9a3f-3f5f0a6d7e11';

const closed = { additionalProperties: false };
const productId = Type.String({ description: 'Id of the product.' });
const quantity = Type.Integer({ description: 'The new balance.' });
const orderId = Type.String({ description: 'Id of the order.' });
const ofOrder = Type.Object({ orderId }, closed);

/**
 * The content of `data` for each event. The schemas list every field of this version. Later versions may add fields, so
 * receivers must not reject unknown ones.
 */
export const PAYLOADS: Record<EventName, Payload> = {
  'product.created': {
    summary: 'A product was created',
    data: Type.Object({ id: productId, name: Type.String() }, closed),
    example: { id: PRODUCT, name: 'Camiseta Listrada' },
  },
  'product.updated': {
    summary: 'Fields, images or variations of a product changed',
    data: Type.Union([
      Type.Object(
        {
          id: productId,
          fields: Type.Array(Type.Unsafe<string>({ type: 'string', enum: [...CHANGED_FIELDS] }), {
            description: 'The fields whose value changed.',
          }),
        },
        { ...closed, description: 'Sent when fields or images of the product changed.' },
      ),
      Type.Object(
        {
          id: productId,
          variants: Type.Integer({
            description: 'Number of variations added, changed or removed. 0 if only their types changed.',
          }),
        },
        { ...closed, description: 'Sent when variations of the product or their types changed.' },
      ),
    ]),
    example: { id: PRODUCT, fields: ['price', 'priceDiscount'] },
  },
  'product.deleted': {
    summary: 'A product was deleted',
    data: Type.Object({ id: productId }, closed),
    example: { id: PRODUCT },
  },
  'stock.updated': {
    summary: 'A stock balance changed',
    data: Type.Union([
      Type.Object({ id: productId, quantity }, { ...closed, description: 'A product without variations.' }),
      Type.Object(
        { id: productId, sku: Type.String({ description: 'Empty if the variation has none.' }), quantity },
        { ...closed, description: 'A variation.' },
      ),
    ]),
    example: { id: PRODUCT, sku: 'CAM-P-AZ', quantity: 4 },
  },
  'order.created': { summary: 'A buyer placed an order', data: ofOrder, example: { orderId: ORDER } },
  'order.paid': { summary: 'An order was paid', data: ofOrder, example: { orderId: ORDER } },
  'order.shipped': {
    summary: 'The shipping status, shipment code, carrier or tracking URL of an order changed',
    data: Type.Object(
      {
        orderId,
        statusShipping: Type.String({ description: 'As in GET /orders/{id}.' }),
        codeShipping: Type.String({ description: 'Empty if there is none.' }),
      },
      closed,
    ),
    example: { orderId: ORDER, statusShipping: 'sent', codeShipping: 'AA123456785BR' },
  },
  'order.refunded': { summary: 'An order was refunded in full', data: ofOrder, example: { orderId: ORDER } },
  'order.canceled': {
    summary: 'An unpaid order was canceled',
    data: Type.Object(
      {
        orderId,
        reason: Type.Unsafe<string>({ type: 'string', enum: ['expired', 'merchant', 'gateway'] }),
      },
      closed,
    ),
    example: { orderId: ORDER, reason: 'expired' },
  },
  'order.partially_refunded': {
    summary: 'Part of an order was refunded at the gateway',
    data: Type.Object(
      {
        orderId,
        amount: Money({ description: 'The amount of this refund.' }),
        refundedAmount: Money({ description: 'The sum of all refunds of the order so far.' }),
      },
      closed,
    ),
    example: { orderId: ORDER, amount: 10.5, refundedAmount: 10.5 },
  },
  'order.invoiced': {
    summary: 'An invoice was added to an order',
    data: Type.Object({ orderId, key: Type.String({ description: 'Key of the NF-e or DC-e.' }) }, closed),
    example: { orderId: ORDER, key: '3526050X0J92JY000196570010000006041448679011' },
  },
};
