import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';

/** The fields of a form or query. A field sent twice is remembered as such: which of them was meant is not ours to guess. */
export class Fields {
  readonly repeated: string[];

  constructor(private readonly params: URLSearchParams) {
    this.repeated = [...new Set(params.keys())].filter((name) => params.getAll(name).length > 1);
  }

  /** What was sent, or undefined: an empty field counts as not sent (RFC 6749, 3.1). */
  get(name: string): string | undefined {
    return this.params.get(name) || undefined;
  }

  /** As it was typed, empty when it was not. */
  text(name: string): string {
    return this.params.get(name) ?? '';
  }
}

/** Says that a field came twice, if one did. Its name is shown only when OAuth lets it stand in an error_description. */
export function repetitionIn({ repeated: [name] }: Fields): string | undefined {
  if (name === undefined) return undefined;
  return `${/^\w{1,40}$/.test(name) ? name : 'a parameter'} is sent twice`;
}

export function queryFields(request: FastifyRequest): Fields {
  return new Fields(new URLSearchParams(request.url.split('?').slice(1).join('?')));
}

/** undefined when the body is not an urlencoded form. */
export function formFields(request: FastifyRequest): Fields | undefined {
  const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  if (type !== 'application/x-www-form-urlencoded' || !isUtf8(bytes)) return undefined;
  return new Fields(new URLSearchParams(bytes.toString('utf8')));
}
