/** The parts of an OpenAPI document from which the API reference is generated. */
export interface ApiDocument {
  info: { description?: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, RawOperation>>;
  webhooks?: Record<string, { post: RawOperation }>;
  components: Record<string, Record<string, unknown>>;
}

export interface RawOperation {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  parameters?: (Parameter | Ref)[];
  requestBody?: { required?: boolean; content: Record<string, Media> };
  responses: Record<string, RawResponse | Ref>;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  schema: Schema;
  example?: unknown;
}

export interface RawResponse {
  description: string;
  content?: Record<string, Media>;
}

interface Media {
  schema?: Schema;
  example?: unknown;
}

interface Ref {
  $ref: string;
}

export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
}

/** Follows a `$ref` within the document. */
export function resolve<Value extends object>(document: ApiDocument, value: Value | Ref): Value {
  if (!('$ref' in value) || typeof value.$ref !== 'string') return value as Value;
  const [, , kind = '', name = ''] = value.$ref.split('/');
  return resolve(document, document.components[kind]?.[name] as Value | Ref);
}
