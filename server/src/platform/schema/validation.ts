import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { FastifySchemaCompiler } from 'fastify';
import type { FaultDetail } from '../http/errors.js';
import { withKeywords } from './keywords.js';

/**
 * Compiling a validator takes milliseconds, so routes with the same schema share one, and it is compiled by the first
 * request that needs it instead of at startup. Bodies and parameters are validated differently, so they never share
 * one.
 */
export const validatorCompiler: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
  const isBody = httpPart === 'body';
  const key = `${isBody} ${JSON.stringify(schema)}`;
  const compiled = validators.get(key) ?? (isBody ? bodyValidator(schema) : parameterValidator(schema));
  validators.set(key, compiled);
  return compiled as never;
};

const validators = new Map<string, unknown>();

/**
 * Validates bodies without coercion. A fast validator checks every body; only a rejected body is validated again to
 * collect all errors.
 */
function bodyValidator(schema: object) {
  let quick: ValidateFunction | undefined;
  let thorough: ValidateFunction | undefined;
  return (body: unknown) => {
    quick ??= quickAjv.compile(schema);
    if (quick(body)) return { value: body };
    thorough ??= thoroughAjv.compile(withoutRepeatedFaults(schema) as object);
    thorough(body);
    return { error: new BodyFaults(thorough.errors?.filter(({ keyword }) => keyword !== 'if') ?? []) };
  };
}

/**
 * Changes two rules so that errors are not repeated. The entries of an array with too many entries are not checked: a
 * megabyte of invalid entries blocked the process for four seconds and returned 5 MB of errors. And a name that
 * is too long is reported once, although maxLength limits its length before normalization and x-name after it.
 */
function withoutRepeatedFaults(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutRepeatedFaults);
  if (typeof schema !== 'object' || schema === null) return schema;
  const rules = Object.fromEntries(
    Object.entries(schema).map(([keyword, rule]) => [keyword, withoutRepeatedFaults(rule)]),
  );
  if ('x-name' in rules) delete rules.maxLength;
  const { maxItems, items, ...others } = rules;
  if (typeof maxItems !== 'number' || items === undefined) return rules;
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  return { ...others, maxItems, if: { maxItems }, then: { items } };
}

/**
 * Validates query and path parameters. Ajv would coerce text as JavaScript does: 1e2, 0x64 and " 100" would all be
 * 100, and 1e400 would be Infinity. An integer may contain only digits and a leading minus.
 */
function parameterValidator(schema: object): ParameterValidator {
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> };
  const integers = Object.keys(properties).filter((name) => properties[name]!.type === 'integer');
  let coerce: ValidateFunction | undefined;
  const validate: ParameterValidator = (parameters) => {
    coerce ??= queryAjv.compile(schema);
    const malformed = integers.find((name) => {
      const value = parameters[name];
      return typeof value === 'string' && !/^-?\d+$/.test(value);
    });
    const passed = malformed === undefined && coerce(parameters);
    validate.errors =
      malformed === undefined
        ? coerce.errors
        : [{ instancePath: `/${malformed}`, keyword: 'type', params: { type: 'integer' } }];
    return passed;
  };
  return validate;
}

interface ParameterValidator {
  (parameters: Record<string, unknown>): boolean;
  errors?: Partial<ErrorObject>[] | null | undefined;
}

export class BodyFaults extends Error {
  readonly details: FaultDetail[];

  constructor(errors: ErrorObject[]) {
    super('The body is invalid');
    this.details = errors.map(asDetail);
  }
}

/** Converts a JSON pointer such as "/variants/3/price" to "variants[3].price". */
export function fieldPath(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path ? `${path}.${part}` : part), '');
}

/** The field name of an error that concerns the whole body. */
const WHOLE_BODY = 'body';

function asDetail(error: ErrorObject): FaultDetail {
  if (error.params.detail) return error.params.detail as FaultDetail;
  const at = fieldPath(error.instancePath);
  if (error.keyword === 'required') {
    const missing = error.params.missingProperty as string;
    return { field: at ? `${at}.${missing}` : missing, message: 'is required' };
  }
  return { field: at || WHOLE_BODY, message: sentenceFor(error) };
}

export function sentenceFor({ keyword, params, message, parentSchema }: ErrorObject): string {
  switch (keyword) {
    case 'type':
      return `must be ${[params.type].flat().map(withArticle).join(' or ')}`;
    case 'minimum':
      return `must be at least ${params.limit}`;
    case 'maximum':
      return `must be at most ${params.limit}`;
    case 'maxLength':
      return `must have at most ${params.limit} characters`;
    case 'minLength':
      return params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} characters`;
    case 'maxItems':
      return `must have at most ${params.limit} entries`;
    case 'minItems':
      return `must have at least ${params.limit} ${params.limit === 1 ? 'entry' : 'entries'}`;
    case 'enum':
      return `must be one of ${(params.allowedValues as unknown[]).join(', ')}`;
    case 'pattern':
      return (parentSchema?.['x-pattern-means'] as string | undefined) ?? message ?? 'is not valid';
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}`;
    default:
      return (params.sentence as string | undefined) ?? message ?? 'is not valid';
  }
}

function withArticle(type: string): string {
  if (type === 'null') return 'null';
  return /^[aio]/.test(type) ? `an ${type}` : `a ${type}`;
}

const COMMON = {
  strict: false,
  allowUnionTypes: true,
  validateFormats: false,
  // Otherwise each of the three Ajv instances would compile the meta-schema before its first schema, which takes a
  // tenth of a second in total. The schemas of routes are constants, and a test checks them.
  meta: false,
  validateSchema: false,
} as const;
const quickAjv = withKeywords(new Ajv({ ...COMMON }));
/** `verbose` adds the schema to each error, because the error message for a pattern is taken from it. */
const thoroughAjv = withKeywords(new Ajv({ ...COMMON, allErrors: true, verbose: true }));
const queryAjv = withKeywords(new Ajv({ ...COMMON, coerceTypes: true }));

/** Returns a validator for values that are not a whole body or query, such as those inside a cursor. */
export function checkerOf(schema: object): (value: unknown) => boolean {
  let validate: ValidateFunction | undefined;
  return (value) => {
    validate ??= quickAjv.compile(schema);
    return validate(value) as boolean;
  };
}
