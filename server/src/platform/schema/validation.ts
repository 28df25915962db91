import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { FastifySchemaCompiler } from 'fastify';
import type { FaultDetail } from '../http/errors.js';
import { normalizedName } from './normalize.js';
import { isDayText, timeOf } from './times.js';

/**
 * Validates bodies without coercion. A fast validator checks every body; only a rejected body is validated again to
 * collect all errors.
 */
export const validatorCompiler: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
  if (httpPart !== 'body') return parameterValidator(schema) as never;
  const quick = quickAjv.compile(schema);
  let thorough: ValidateFunction | undefined;
  return (body: unknown) => {
    if (quick(body)) return { value: body };
    thorough ??= thoroughAjv.compile(withoutRepeatedFaults(schema) as object);
    thorough(body);
    return { error: new BodyFaults(thorough.errors?.filter(({ keyword }) => keyword !== 'if') ?? []) };
  };
};

/**
 * Changes two rules to avoid repeated errors. An array with too many entries reports only that: a megabyte of invalid
 * entries blocked the process for four seconds and returned 5 MB of errors. And a name reports its length once,
 * because maxLength limits it before normalization and x-name after it.
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
 * 100, and 1e400 an infinite page. An integer must be written in digits only.
 */
function parameterValidator(schema: object): ParameterValidator {
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> };
  const integers = Object.keys(properties).filter((name) => properties[name]!.type === 'integer');
  const coerce = queryAjv.compile(schema);
  const validate: ParameterValidator = (parameters) => {
    const odd = integers.find((name) => {
      const value = parameters[name];
      return typeof value === 'string' && !/^-?\d+$/.test(value);
    });
    const passed = odd === undefined && coerce(parameters);
    validate.errors =
      odd === undefined
        ? coerce.errors
        : [{ instancePath: `/${odd}`, keyword: 'type', params: { type: 'integer' } }];
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

/** "/variants/3/price" → "variants[3].price". */
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

/** U+0000 to U+001F and U+007F to U+009F, without tab, line feed and carriage return. */
const CONTROL = /(?![\t\n\r])\p{Cc}/u;

type Verdict = string | FaultDetail[] | undefined;
type Check = (value: never, schema: never, parent: { properties?: object }) => Verdict;

const CHECKS: Record<string, { type: 'number' | 'string' | 'object'; check: Check }> = {
  'x-decimals': {
    type: 'number',
    // A double parsed from a literal with at most n decimals equals its own rounding to n decimals.
    check: (value: number, decimals: number) =>
      Number(value.toFixed(decimals)) === value ? undefined : `must have at most ${decimals} decimals`,
  },
  'x-text': {
    type: 'string',
    check: (value: string) =>
      CONTROL.test(value) || !value.isWellFormed()
        ? 'must not contain control characters (other than tab, line feed and carriage return) or half of a surrogate pair'
        : undefined,
  },
  'x-http-url': {
    type: 'string',
    // The URL parser alone would remove line breaks, trim blanks and read https:///x as https://x. The URL is stored
    // as given and shown in pages, so it must be valid without such corrections.
    check: (value: string) =>
      /^https?:\/\/[^/?#\\]/i.test(value) && !/[\s\p{Cc}<>"]/u.test(value) && URL.canParse(value)
        ? undefined
        : 'must be an absolute http or https address without blanks, control characters, < > or "',
  },
  'x-name': {
    type: 'string',
    check: (value: string, max: number) => {
      const name = normalizedName(value, max);
      const characters = name === undefined ? 0 : [...name].length;
      return characters >= 1 && characters <= max
        ? undefined
        : `must have 1 to ${max} characters, and no more than 30 combining marks in a row`;
    },
  },
  'x-list-of': {
    type: 'string',
    check: (value: string, allowed: readonly string[]) =>
      value.split(',', allowed.length + 1).every((each) => allowed.includes(each))
        ? undefined
        : `must be one or several of ${allowed.join(', ')}, separated by commas`,
  },
  'x-time': {
    type: 'string',
    check: (value: string) =>
      timeOf(value) === undefined
        ? 'must be a time of RFC 3339 such as 2026-01-31T00:00:00Z (a + is sent as %2B)'
        : undefined,
  },
  // Rules about combinations of fields are part of the schema, so that they are reported together with all other
  // errors.
  'x-some-of': {
    type: 'object',
    check: (value: object, groups: string[][]) =>
      groups
        .filter((names) => !names.some((name) => Object.hasOwn(value, name)))
        .map((names) => `must carry at least one of ${names.join(', ')}`)
        .join('; ') || undefined,
  },
  'x-one-of': {
    type: 'object',
    check: (value: object, names: string[]) =>
      names.filter((name) => Object.hasOwn(value, name)).length === 1
        ? undefined
        : `must carry either ${names.join(' or ')}`,
  },
  // A function provided by the schema that finds errors anywhere in the body.
  'x-rule': {
    type: 'object',
    check: (value: object, faultsOf: (body: object) => FaultDetail[]) => faultsOf(value),
  },
  'x-day': {
    type: 'string',
    check: (value: string) =>
      isDayText(value) ? undefined : 'must be a day that exists, such as 2026-01-31',
  },
  'x-known-field': {
    type: 'object',
    check: (value: object, _on: true, parent: { properties?: object }) =>
      Object.keys(parent.properties ?? {}).some((name) => Object.hasOwn(value, name))
        ? undefined
        : `must carry at least one of ${Object.keys(parent.properties ?? {}).join(', ')}`,
  },
};

function withChecks(ajv: Ajv): Ajv {
  for (const [keyword, { type, check }] of Object.entries(CHECKS)) {
    ajv.addKeyword({
      keyword,
      type,
      errors: true,
      compile: (schema, parent) => {
        const judge: { (value: never): boolean; errors?: Partial<ErrorObject>[] } = (value) => {
          judge.errors = errorsOf(keyword, check(value, schema as never, parent as never));
          return judge.errors.length === 0;
        };
        return judge as never;
      },
    });
  }
  return ajv;
}

function errorsOf(keyword: string, verdict: Verdict): Partial<ErrorObject>[] {
  if (verdict === undefined) return [];
  if (typeof verdict === 'string') return [{ keyword, params: { sentence: verdict }, message: verdict }];
  return verdict.map((detail) => ({ keyword, params: { detail }, message: detail.message }));
}

const COMMON = { strict: false, allowUnionTypes: true, validateFormats: false };
const quickAjv = withChecks(new Ajv({ ...COMMON }));
/** `verbose` gives each fault its schema, which says what a pattern means. */
const thoroughAjv = withChecks(new Ajv({ ...COMMON, allErrors: true, verbose: true }));
const queryAjv = withChecks(new Ajv({ ...COMMON, coerceTypes: true }));

/** Validates values that are not a body or a query themselves: those inside a cursor, or a part of a body. */
export function checkerOf(schema: object): (value: unknown) => boolean {
  const validate = quickAjv.compile(schema);
  return (value) => validate(value) as boolean;
}
