import { SHIPPING_STATUSES } from '../orders/shipping-status.js';
import { Id, Nullable, OneOf, Shape, Text, Time } from '../platform/schema/shapes.js';
import { Type } from '../platform/schema/type.js';

export const NewShipment = Shape(
  'NewShipment',
  {
    orderId: Text(100, {
      description: 'The id of an order that is paid or partial_refunded and has no tracking code.',
    }),
    carrier: Type.Optional(Text(100)),
  },
  { examples: [{ orderId: '01a1df2b-02c4-7d5e-9a3f-3f5f0a6d7e11', carrier: 'Correios' }] },
);

export const Shipment = Shape('Shipment', {
  code: Type.String({ examples: ['SX123456785BR'] }),
  orderId: Id(),
  carrier: Type.String(),
  labelUrl: Type.String({
    description: 'A signed URL of the PDF, valid for seven days. Read the shipment to get a new one.',
  }),
  cost: Type.Number(),
  createdAt: Time(),
});

export const Tracking = Shape('Tracking', {
  code: Type.String(),
  orderId: Id(),
  carrier: Nullable(Type.String()),
  statusShipping: OneOf<string>(SHIPPING_STATUSES, { title: 'ShippingStatus' }),
  trackingUrl: Nullable(Type.String()),
  estimatedDelivery: Nullable(Type.String({ format: 'date' })),
  events: Type.Array(
    Type.Object({
      status: OneOf<string>(SHIPPING_STATUSES, { title: 'ShippingStatus' }),
      description: Type.String(),
      location: Nullable(Type.String()),
      occurredAt: Time(),
    }),
    { description: 'Newest first.' },
  ),
});
