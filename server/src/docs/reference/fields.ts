import { type ApiDocument, resolve, type Schema } from './document.js';

/** One row in a table of fields. Fields of nested objects have dotted names. */
export interface Field {
  name: string;
  type: string;
  required: boolean;
  description: string;
}

const MAX_LEVELS = 4;

/** Returns the fields of an object. Nested fields follow their parent. */
export function fieldsOf(document: ApiDocument, schema: Schema, prefix = '', level = 0): Field[] {
  const object = alternativesOf(document, schema)[0]!;
  if (object.type === 'array' && object.items && level < MAX_LEVELS)
    return fieldsOf(document, object.items, `${prefix}[]`, level + 1);
  if (!object.properties || level >= MAX_LEVELS) return [];
  return Object.entries(object.properties).flatMap(([key, property]) => {
    const name = prefix === '' ? key : `${prefix}.${key}`;
    const own = resolve(document, property);
    const field = {
      name,
      type: typeOf(document, property),
      required: object.required?.includes(key) ?? false,
      description: describe(own),
    };
    return [field, ...fieldsOf(document, property, name, level + 1)];
  });
}

/** Returns the type in words, such as "string or null", "array of integer" or "uuid". */
export function typeOf(document: ApiDocument, schema: Schema): string {
  const own = resolve(document, schema);
  const alternatives = own.anyOf ?? own.oneOf;
  if (alternatives) return [...new Set(alternatives.map((each) => typeOf(document, each)))].join(' or ');
  const types = [own.type ?? 'any'].flat().map((type) => {
    if (type === 'array' && own.items) return `array of ${typeOf(document, own.items)}`;
    return type === 'string' && own.format ? own.format : type;
  });
  return types.join(' or ');
}

/** Returns the description, followed by the allowed values, the default, and limits that the description leaves out. */
export function describe(schema: Schema): string {
  const values = schema.enum?.filter((value) => value !== null).map(String);
  const notes = [
    schema.description,
    values && `One of ${values.map((value) => `\`${value}\``).join(', ')}.`,
    schema.const !== undefined && `Always \`${String(schema.const)}\`.`,
    schema.default !== undefined && `Default \`${JSON.stringify(schema.default)}\`.`,
    limit(schema.maxLength, 'characters'),
    limit(schema.maxItems, 'entries'),
  ];
  return notes.filter(Boolean).join(' ');

  function limit(most: number | undefined, of: string): string | undefined {
    const number = most?.toLocaleString('en');
    return number === undefined || schema.description?.includes(number)
      ? undefined
      : `At most ${number} ${of}.`;
  }
}

/** Returns the example of a value, or builds one from the examples of its fields. */
export function sampleOf(document: ApiDocument, schema: Schema, level = 0): unknown {
  const own = alternativesOf(document, schema)[0]!;
  const given = own.examples?.[0] ?? own.const ?? own.enum?.[0] ?? own.default;
  if (given !== undefined) return given;
  if (own.properties)
    return Object.fromEntries(
      Object.entries(own.properties).map(([key, each]) => [key, sampleOf(document, each, level + 1)]),
    );
  const [type] = [own.type ?? 'object'].flat();
  if (type === 'array') return own.items && level < 6 ? [sampleOf(document, own.items, level + 1)] : [];
  if (type === 'string') return FORMATS[own.format ?? ''] ?? '…';
  if (type === 'integer' || type === 'number') return own.minimum ?? 1;
  return type === 'boolean' ? false : type === 'null' ? null : {};
}

const FORMATS: Record<string, string> = {
  uuid: '01a1df25-7929-7c23-b2dc-ac78e5c21043',
  'date-time': '2026-11-16T12:30:00.000Z',
  date: '2026-11-16',
  uri: 'https://erp.example/example',
  email: 'ana@loja.example',
};

/** Returns the alternatives of a schema. The reference shows the fields and the example of the first alternative. */
function alternativesOf(document: ApiDocument, schema: Schema): Schema[] {
  const own = resolve(document, schema);
  const alternatives = own.anyOf ?? own.oneOf;
  if (alternatives) return alternatives.flatMap((each) => alternativesOf(document, each));
  if (own.allOf) {
    const parts = own.allOf.map((each) => alternativesOf(document, each)[0]!);
    return [
      {
        type: 'object',
        properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
        required: parts.flatMap(({ required = [] }) => required),
      },
    ];
  }
  return [own];
}
