import type { Static } from 'typebox';
import { OneOf, Quantity, Shape, Text } from '../platform/schema/shapes.js';
import { Type } from '../platform/schema/type.js';
import { MAX_BATCH } from './schema.js';

export const StockChange = Shape(
  'StockChange',
  { quantity: Quantity({ description: 'The new balance.', examples: [12] }) },
  { examples: [{ quantity: 12 }] },
);

export const StockBatch = Shape(
  'StockBatch',
  {
    entries: Type.Array(
      Type.Object(
        {
          sku: Text(100, { minLength: 1, examples: ['CAM-P-AZ'] }),
          quantity: Type.Optional(
            Quantity({ description: 'The new balance. Send either quantity or delta.' }),
          ),
          delta: Type.Optional(
            Type.Integer({
              minimum: -2_147_483_647,
              maximum: 2_147_483_647,
              description: 'The amount to add; negative to subtract.',
            }),
          ),
          ifQuantity: Type.Optional(
            Quantity({ description: 'Applies the entry only if the current balance is this value.' }),
          ),
        },
        { 'x-one-of': ['quantity', 'delta'] },
      ),
      { minItems: 1, maxItems: MAX_BATCH },
    ),
  },
  {
    examples: [
      {
        entries: [
          { sku: 'CAN-ESM', quantity: 35 },
          { sku: 'CAFE-500', delta: -2, ifQuantity: 120 },
        ],
      },
    ],
  },
);
export type StockBatch = Static<typeof StockBatch>;

export const StockBatchAnswer = Shape('StockBatchAnswer', {
  data: Type.Array(
    Type.Object({
      sku: Type.String(),
      ok: Type.Boolean(),
      quantity: Type.Optional(Type.Integer({ description: 'The balance after the change.' })),
      error: Type.Optional(Type.String()),
      code: Type.Optional(
        OneOf<string>(['unknown_sku', 'ambiguous_sku', 'quantity_mismatch', 'below_zero', 'above_maximum']),
      ),
    }),
  ),
});
