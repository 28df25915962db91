import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import { badRequest } from './errors.js';
import { mediaTypeOf } from './json-body.js';

/** The largest form: the checkout with every field at its longest is a tenth of it. */
export const FORM_BYTES = 65_536;
const MAX_FIELDS = 100;

/** The fields of a form or query. A field sent twice is remembered as such: which of them was meant is not ours to guess. */
export class Fields {
  private readonly values = new Map<string, string>();
  readonly repeated: string[] = [];

  /** Reads each field once: URLSearchParams.getAll per name took 34 seconds for a form of 125 kB. */
  constructor(encoded: string) {
    let count = 0;
    for (const [name, value] of new URLSearchParams(encoded)) {
      if (++count > MAX_FIELDS) throw badRequest(`At most ${MAX_FIELDS} fields can be sent at once`);
      if (this.values.has(name)) this.repeated.push(name);
      else this.values.set(name, value);
    }
  }

  /** What was sent, or undefined: an empty field counts as not sent (RFC 6749, 3.1). */
  get(name: string): string | undefined {
    return this.values.get(name) || undefined;
  }

  /** As it was typed, empty when it was not. */
  text(name: string): string {
    return this.values.get(name) ?? '';
  }
}

/** Says that a field came twice, if one did. Its name is shown only when OAuth lets it stand in an error_description. */
export function repetitionIn({ repeated: [name] }: Fields): string | undefined {
  if (name === undefined) return undefined;
  return `${/^\w{1,40}$/.test(name) ? name : 'a parameter'} is sent twice`;
}

export function queryFields(request: FastifyRequest): Fields {
  const start = request.url.indexOf('?');
  return new Fields(start === -1 ? '' : request.url.slice(start + 1));
}

/** undefined when the body is not an urlencoded form. */
export function formFields(request: FastifyRequest): Fields | undefined {
  const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  if (mediaTypeOf(request) !== 'application/x-www-form-urlencoded' || !isUtf8(bytes)) return undefined;
  return new Fields(bytes.toString('utf8'));
}
