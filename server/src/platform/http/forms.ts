import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import { badRequest } from './errors.js';
import { mediaTypeOf } from './json-body.js';

/** The maximum size of a form: about ten times the size of a checkout form with all fields at their maximum length. */
export const FORM_BYTES = 65_536;
const MAX_FIELDS = 100;

/**
 * The fields of a form or query. Repeated fields are recorded, so that callers can reject them, because it is unclear
 * which value is meant.
 */
export class Fields {
  private readonly values = new Map<string, string>();
  readonly repeated: string[] = [];

  /**
   * Reads each field once. Calling URLSearchParams.getAll for each name would take quadratic time: without the two
   * limits above, 34 seconds for 125 kB.
   */
  constructor(encoded: string) {
    let count = 0;
    for (const [name, value] of new URLSearchParams(encoded)) {
      if (++count > MAX_FIELDS) throw badRequest(`At most ${MAX_FIELDS} fields can be sent at once`);
      if (this.values.has(name)) this.repeated.push(name);
      else this.values.set(name, value);
    }
  }

  /** Returns the value, or undefined. An empty field counts as missing (RFC 6749, 3.1). */
  get(name: string): string | undefined {
    return this.values.get(name) || undefined;
  }

  /** Returns the text as entered, or an empty string. */
  text(name: string): string {
    return this.values.get(name) ?? '';
  }
}

/**
 * Describes the first repeated field, if there is one. Its name is included only if it consists of up to 40 ASCII
 * letters, digits and underscores, because some other characters are not allowed in an OAuth error_description.
 */
export function repetitionIn({ repeated: [name] }: Fields): string | undefined {
  if (name === undefined) return undefined;
  return `${/^\w{1,40}$/.test(name) ? name : 'a parameter'} is sent more than once`;
}

export function queryFields(request: FastifyRequest): Fields {
  const start = request.url.indexOf('?');
  return new Fields(start === -1 ? '' : request.url.slice(start + 1));
}

/** Returns the fields of a URL-encoded body. Throws if the body is something else. */
export function postedForm(request: FastifyRequest): Fields {
  const fields = formFields(request);
  if (!fields) throw badRequest('The request body must be a URL-encoded form');
  return fields;
}

/** Returns undefined if the body is not a URL-encoded form. */
export function formFields(request: FastifyRequest): Fields | undefined {
  const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  if (mediaTypeOf(request) !== 'application/x-www-form-urlencoded' || !isUtf8(bytes)) return undefined;
  return new Fields(bytes.toString('utf8'));
}
