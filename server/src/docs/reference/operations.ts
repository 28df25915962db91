import {
  type ApiDocument,
  type Parameter,
  type RawOperation,
  type RawResponse,
  resolve,
} from './document.js';
import { describe, type Field, fieldsOf, sampleOf, typeOf } from './fields.js';

export interface Operation {
  id: string;
  method: string;
  path: string;
  group: string;
  summary: string;
  description: string;
  parameters: (Field & { in: Parameter['in']; example: unknown })[];
  body: Body | undefined;
  answer: Answer | undefined;
  errors: { status: string; description: string }[];
}

interface Body {
  contentType: string;
  required: boolean;
  fields: Field[];
  example: unknown;
}

interface Answer {
  status: string;
  fields: Field[];
  example: unknown;
}

export interface Group {
  name: string;
  /** The last part of the page's URL. */
  slug: string;
  description: string;
  operations: Operation[];
  /** Empty except for the group of webhooks. */
  events: EventShape[];
}

export interface EventShape {
  name: string;
  summary: string;
  fields: Field[];
  example: unknown;
}

/** Returns the reference by group, in the order of the document's tags. */
export function groupsOf(document: ApiDocument): Group[] {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, raw]) => operationOf(document, method, path, raw)),
  );
  return document.tags.map(({ name, description }) => ({
    name,
    slug: name.toLowerCase(),
    description,
    operations: operations.filter(({ group }) => group === name),
    events: name === 'Webhooks' ? eventsOf(document) : [],
  }));
}

function operationOf(document: ApiDocument, method: string, path: string, raw: RawOperation): Operation {
  const parameters = (raw.parameters ?? []).map((each) => resolve<Parameter>(document, each));
  const responses = Object.entries(raw.responses).map(([status, each]) => ({
    status,
    ...resolve<RawResponse>(document, each),
  }));
  const success = responses.find(({ status }) => status.startsWith('2'));
  const schema = success?.content?.['application/json']?.schema;
  return {
    id: raw.operationId,
    method: method.toUpperCase(),
    path,
    group: raw.tags?.[0] ?? '',
    summary: raw.summary ?? raw.operationId,
    description: raw.description ?? '',
    parameters: parameters
      .sort((one, other) => PLACES.indexOf(one.in) - PLACES.indexOf(other.in))
      .map((parameter) => ({
        in: parameter.in,
        name: parameter.name,
        example: parameter.example ?? sampleOf(document, parameter.schema),
        type: typeOf(document, parameter.schema),
        required: parameter.required ?? false,
        description: describe({ ...parameter.schema, description: parameter.description ?? '' }),
      })),
    body: bodyOf(document, raw),
    answer: success && {
      status: success.status,
      fields: schema ? fieldsOf(document, schema) : [],
      example: schema && sampleOf(document, schema),
    },
    errors: responses
      .filter(({ status }) => /^[345]/.test(status))
      .map(({ status, description }) => ({ status, description })),
  };
}

const PLACES: Parameter['in'][] = ['path', 'query', 'header'];

function bodyOf(document: ApiDocument, { requestBody }: RawOperation): Body | undefined {
  const [content] = Object.entries(requestBody?.content ?? {});
  if (!content?.[1].schema) return undefined;
  const [contentType, { schema, example }] = content;
  return {
    contentType,
    required: requestBody?.required ?? false,
    fields: fieldsOf(document, schema!),
    example: example ?? sampleOf(document, schema!),
  };
}

function eventsOf(document: ApiDocument): EventShape[] {
  return Object.entries(document.webhooks ?? {}).map(([name, { post }]) => {
    const media = post.requestBody?.content['application/json'];
    return {
      name,
      summary: post.summary ?? '',
      fields: media?.schema ? fieldsOf(document, media.schema) : [],
      example: media?.example ?? {},
    };
  });
}
