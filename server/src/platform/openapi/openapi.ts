import swagger from '@fastify/swagger';
import type { FastifyContextConfig, FastifyInstance } from 'fastify';
import { INTRODUCTION, SHARED_COMPONENTS, scopeSentence, sharedResponses, TAGS } from './openapi-texts.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body names a thing that has to be there: without it the call is a 404. */
    bodyNamesThing?: boolean;
    /** The call needs what may be out of order by itself, and is a 502 then. */
    mayBeUnavailable?: boolean;
  }
}

/** The OpenAPI document is made from the routes themselves: it cannot say anything else than they do. */
export async function describeApi(app: FastifyInstance, publicUrl: string): Promise<void> {
  const configs = new Map<string, FastifyContextConfig>();
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Feira Partner API',
        version: '1.0.0',
        description: INTRODUCTION,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: publicUrl }],
      tags: TAGS,
      components: {
        securitySchemes: {
          token: {
            type: 'http',
            scheme: 'bearer',
            description: 'An access token, for one store and one app.',
          },
        },
        ...SHARED_COMPONENTS,
      },
    },
    transformObject: (document) => {
      const { openapiObject } = document as unknown as { openapiObject: Document };
      for (const path of Object.values(openapiObject.paths)) {
        for (const [method, operation] of Object.entries(path))
          addShared(method, operation, configs.get(operation.operationId) ?? {});
      }
      openapiObject.paths = nameShapes(
        openapiObject.paths,
        openapiObject.components.schemas,
      ) as Document['paths'];
      return openapiObject as never;
    },
    transform: ({ schema, url, route }) => {
      const { config } = route;
      if (config?.scope === undefined || schema?.hide) return { schema, url };
      const { operationId, description: own, body } = schema as Described;
      configs.set(operationId, config);
      const description = [own, scopeSentence(config.scope)].filter(Boolean).join('\n\n');
      return {
        schema: {
          ...schema,
          description,
          security: [{ token: [] }],
          ...(body && { body: withBareArray(body, config.bareArray) }),
        } as never,
        url,
      };
    },
  });
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown> };
}

interface Described {
  operationId: string;
  description?: string;
  body?: BodyShape;
}

interface BodyShape {
  properties?: Record<string, object>;
}

interface Operation {
  operationId: string;
  requestBody?: { required?: boolean };
  parameters?: object[];
  responses: Record<string, { description?: string; headers?: object }>;
}

const DRY_RUN_HEADER = {
  'X-Dry-Run': {
    description: 'Only with dryRun=true: nothing was stored.',
    schema: { type: 'string', const: 'true' },
  },
};

const SUCCESS: Record<string, string> = { 200: 'Done', 201: 'Created' };

/** What all calls share and no route says by itself. */
function addShared(method: string, operation: Operation, config: FastifyContextConfig): void {
  for (const [status, response] of Object.entries(operation.responses)) {
    response.description = SUCCESS[status] ?? response.description ?? '';
  }
  const parameters = JSON.stringify(operation.parameters ?? []);
  const hasPath = parameters.includes('"in":"path"');
  if (parameters.includes('"name":"dryRun"'))
    for (const response of Object.values(operation.responses)) response.headers = DRY_RUN_HEADER;
  const header = method !== 'get' ? 'IdempotencyKey' : config.etag ? 'IfNoneMatch' : undefined;
  if (header)
    operation.parameters = [...(operation.parameters ?? []), { $ref: `#/components/parameters/${header}` }];
  if (config.bodyOptional && operation.requestBody) operation.requestBody.required = false;
  Object.assign(operation.responses, sharedResponses(method, hasPath, config));
}

function withBareArray(body: BodyShape, field: string | undefined): object {
  return field === undefined ? body : { anyOf: [body, body.properties?.[field]] };
}

/** A shape with a title stands once under components and is referred to by that name: a reader meets Product, not its fields. */
function nameShapes(node: unknown, named: Record<string, unknown>): unknown {
  if (Array.isArray(node)) return node.map((each) => nameShapes(each, named));
  if (typeof node !== 'object' || node === null) return node;
  const { title, ...shape } = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, nameShapes(value, named)]),
  );
  if (typeof title !== 'string' || !('type' in shape))
    return title === undefined ? shape : { title, ...shape };
  named[title] = shape;
  return { $ref: `#/components/schemas/${title}` };
}
