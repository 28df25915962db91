// Writes src/types.ts from openapi.json. Existing generators do not work with TypeScript 7, and none of them generates
// open enums. A test compares the result with the committed file.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const DOCUMENT = new URL('../../openapi.json', import.meta.url);
const TARGET = new URL('../src/types.ts', import.meta.url);
const BIOME = fileURLToPath(new URL('../../node_modules/.bin/biome', import.meta.url));
/** Schemas that the SDK does not use: request and error of the token endpoint, and the webhook body of each event. */
const LEFT_OUT = /^(TokenRequest|OAuthError)$|Delivery$(?<!^Delivery)/;

export function generateTypes(document = JSON.parse(readFileSync(DOCUMENT, 'utf8'))) {
  const schemas = Object.entries(document.components.schemas).filter(([name]) => !LEFT_OUT.test(name));
  return formatted(
    [
      '// Generated from openapi.json by scripts/generate-types.mjs. Do not edit: run npm run sdk:types.',
      ...schemas.map(([name, schema]) => declaration(name === 'Error' ? 'ErrorBody' : name, schema)),
      ...queries(document),
      eventPayloads(document),
    ].join('\n\n'),
  );
}

function formatted(source) {
  return execFileSync(BIOME, ['format', '--stdin-file-path', 'types.ts'], {
    input: source,
    encoding: 'utf8',
  });
}

function declaration(name, schema) {
  const comment = commentOf(schema, '');
  if (schema.type === 'object' && !schema.oneOf)
    return `${comment}export interface ${name} ${typeOf(schema, '')}`;
  return `${comment}export type ${name} = ${typeOf(schema, '')};`;
}

/** The query parameters of each operation, except dryRun and those of authorize, as `<OperationId>Query`. */
function queries({ paths }) {
  return Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .map(({ operationId, parameters = [] }) => {
      const query = parameters.filter(({ in: place, name }) => place === 'query' && name !== 'dryRun');
      if (query.length === 0 || operationId === 'authorize') return undefined;
      const properties = Object.fromEntries(
        query.map(({ name, schema, description }) => [name, { ...queryValue(schema), description }]),
      );
      const title = operationId[0].toUpperCase() + operationId.slice(1);
      return declaration(`${title}Query`, { type: 'object', properties });
    })
    .filter(Boolean);
}

/** A time may be given as a Date, and several values as an array. The client converts both to the format of the API. */
function queryValue(schema) {
  if (schema['x-time']) return { typescript: 'string | Date' };
  if (schema['x-list-of']) return { typescript: `string | ${paren(openEnum(schema['x-list-of']))}[]` };
  return schema;
}

/** The type of `data` in a webhook and in a feed entry, by event name. */
function eventPayloads({ webhooks }) {
  const lines = Object.keys(webhooks).map((event) => {
    const name = event
      .split(/[._]/)
      .map((word) => word[0].toUpperCase() + word.slice(1))
      .join('');
    return `  ${key(event)}: ${name}Data;`;
  });
  return `/** The payload of each event, by event name. */\nexport interface EventPayloads {\n${lines.join('\n')}\n}`;
}

function typeOf(schema, indent) {
  if (schema.typescript) return schema.typescript;
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1);
    return name === 'Error' ? 'ErrorBody' : name;
  }
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return schema.type === 'integer' ? 'number' : openEnum(schema.enum);
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) return choices.map((choice) => typeOf(choice, indent)).join(' | ');
  const types = [schema.type ?? []].flat();
  if (types.length === 0) return 'unknown';
  return types.map((type) => plainType(type, schema, indent)).join(' | ');
}

function plainType(type, schema, indent) {
  switch (type) {
    case 'integer':
      return 'number';
    case 'array':
      return `${paren(typeOf(schema.items ?? {}, indent))}[]`;
    case 'object':
      return objectType(schema, indent);
    default:
      return type;
  }
}

function objectType({ properties = {}, required = [], additionalProperties }, indent) {
  const entries = Object.entries(properties);
  if (entries.length === 0) {
    const values =
      typeof additionalProperties === 'object' ? typeOf(additionalProperties, indent) : 'unknown';
    return `Record<string, ${values}>`;
  }
  const inner = `${indent}  `;
  const lines = entries.map(([name, schema]) => {
    const isRequired = required.includes(name);
    const type = typeOf(schema, inner) + (isRequired ? '' : ' | undefined');
    return `${commentOf(schema, inner)}${inner}${key(name)}${isRequired ? '' : '?'}: ${type};`;
  });
  return `{\n${lines.join('\n')}\n${indent}}`;
}

/** Values that the API adds later are accepted as strings, so that switch statements and assignments keep compiling. */
function openEnum(values) {
  const literals = values.map(literal);
  const isText = values.some((value) => typeof value === 'string');
  const text = literals.filter((each) => each !== 'null');
  return [...text, ...(isText ? ['(string & {})'] : []), ...(values.includes(null) ? ['null'] : [])].join(
    ' | ',
  );
}

function commentOf({ description }, indent) {
  if (!description) return '';
  return `${indent}/** ${description.replaceAll('*/', '*\\/').replaceAll('\n', ' ')} */\n`;
}

function key(name) {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
}

function literal(value) {
  return typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value);
}

function paren(type) {
  return type.includes(' | ') && !type.startsWith('{') ? `(${type})` : type;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(TARGET, generateTypes());
