import type { TProperties, TSchemaOptions } from 'typebox';
import { MAX_MONEY } from './money.js';
import { UNITS_PER_CHARACTER } from './normalize.js';
import { Type } from './type.js';

// Schemas shared by the whole API. The x- keywords are rules that JSON Schema cannot express, implemented in
// keywords.ts, except x-pattern-means, which is the error message for `pattern`. In openapi.json they are annotations.

export const MAX_QUANTITY = 2_147_483_647;
const MAX_MEASURE = 999_999_999.999;

/** An object with a title, under which the API reference documents it once. */
export const Shape = <P extends TProperties>(title: string, properties: P, options: TSchemaOptions = {}) =>
  Type.Object(properties, { title, ...options });

export const Id = (options: TSchemaOptions = {}) => Type.String({ format: 'uuid', ...options });

export const Money = (options: TSchemaOptions = {}) =>
  Type.Number({ minimum: 0, maximum: MAX_MONEY, 'x-decimals': 2, ...options });

export const Measure = (options: TSchemaOptions = {}) =>
  Type.Number({ minimum: 0, maximum: MAX_MEASURE, 'x-decimals': 3, ...options });

export const Quantity = (options: TSchemaOptions = {}) =>
  Type.Integer({ minimum: 0, maximum: MAX_QUANTITY, ...options });

/**
 * Text without unpaired surrogates and without control characters other than tabs and line breaks. `max` counts code
 * points.
 */
export const Text = (max: number, options: TSchemaOptions = {}) =>
  Type.String({ maxLength: max, 'x-text': true, ...options });

/** Text of exactly `count` digits, including leading zeros. */
export const Digits = (count: number, options: TSchemaOptions = {}) =>
  Type.String({ pattern: `^[0-9]{${count}}$`, 'x-pattern-means': `must have ${count} digits`, ...options });

/** A name is stored trimmed and normalized to Unicode NFC. `max` counts the characters of that form. */
export const Name = (max: number, options: TSchemaOptions = {}) =>
  Text(max * UNITS_PER_CHARACTER, { 'x-name': max, ...options });

export const HttpUrl = (options: TSchemaOptions = {}) =>
  Text(2048, { format: 'uri', 'x-http-url': true, ...options });

export const Time = (options: TSchemaOptions = {}) => Type.String({ format: 'date-time', ...options });

/**
 * Accepts one of the values, which the API document lists. Use OneOf<string> for a field whose TypeScript type is
 * string.
 */
export const OneOf = <T extends string>(values: readonly T[], options: TSchemaOptions = {}) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values], ...options });

export const OneOfOrNull = (values: readonly string[], options: TSchemaOptions = {}) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], enum: [...values, null], ...options });

/** Extends a schema to accept null as well. */
export function Nullable<T extends { type: string }>(schema: T) {
  return Type.Unsafe<(T extends { type: 'string' } ? string : number) | null>({
    ...schema,
    type: [schema.type, 'null'],
  });
}

export const Deleted = Shape('Deleted', { id: Id(), deleted: Type.Boolean() });
