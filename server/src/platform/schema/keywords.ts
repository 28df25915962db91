import type { Ajv, ErrorObject } from 'ajv';
import type { FaultDetail } from '../http/errors.js';
import { normalizedName } from './normalize.js';
import { isDayText, timeOf } from './times.js';

/** Matches U+0000 to U+001F and U+007F to U+009F, except tab, line feed and carriage return. */
const CONTROL = /(?![\t\n\r])\p{Cc}/u;

type Verdict = string | FaultDetail[] | undefined;
type Check = (value: never, schema: never, parent: { properties?: object }) => Verdict;

const CHECKS: Record<string, { type: 'number' | 'string' | 'object'; check: Check }> = {
  'x-decimals': {
    type: 'number',
    // A number that was written with at most n decimals does not change when it is rounded to n decimals.
    check: (value: number, decimals: number) =>
      Number(value.toFixed(decimals)) === value ? undefined : `must have at most ${decimals} decimals`,
  },
  'x-text': {
    type: 'string',
    check: (value: string) =>
      CONTROL.test(value) || !value.isWellFormed()
        ? 'must not contain control characters (other than tab, line feed and carriage return) or unpaired surrogates'
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
      value.split(',').every((each) => allowed.includes(each))
        ? undefined
        : `must be one or more of ${allowed.join(', ')}, separated by commas`,
  },
  'x-time': {
    type: 'string',
    check: (value: string) =>
      timeOf(value) === undefined
        ? 'must be an RFC 3339 time such as 2026-01-31T00:00:00Z (in a query, send + as %2B)'
        : undefined,
  },
  // Rules about combinations of fields are part of the schema, so that their violations are reported together with all
  // other errors.
  'x-some-of': {
    type: 'object',
    check: (value: object, groups: string[][]) =>
      groups
        .filter((names) => !names.some((name) => Object.hasOwn(value, name)))
        .map((names) => `must contain at least one of ${names.join(', ')}`)
        .join('; ') || undefined,
  },
  'x-one-of': {
    type: 'object',
    check: (value: object, names: string[]) =>
      names.filter((name) => Object.hasOwn(value, name)).length === 1
        ? undefined
        : `must contain either ${names.join(' or ')}, not both`,
  },
  // The schema provides a function that finds errors anywhere in the body.
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
        : `must contain at least one of ${Object.keys(parent.properties ?? {}).join(', ')}`,
  },
};

/** Adds the keywords of our schemas to a validator. */
export function withKeywords(ajv: Ajv): Ajv {
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
