import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { errorResponses, INTRODUCTION, SHARED_COMPONENTS, scopeSentence, TAGS } from './openapi-texts.js';

/** The OpenAPI document is made from the routes themselves: it cannot say anything else than they do. */
export async function describeApi(app: FastifyInstance, publicUrl: string): Promise<void> {
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
        for (const [method, operation] of Object.entries(path)) addShared(method, operation);
      }
      openapiObject.paths = nameShapes(
        openapiObject.paths,
        openapiObject.components.schemas,
      ) as Document['paths'];
      return openapiObject as never;
    },
    transform: ({ schema, url, route }) => {
      const scope = route.config?.scope;
      if (scope === undefined || schema?.hide) return { schema, url };
      const description = [schema?.description, scopeSentence(scope)].filter(Boolean).join('\n\n');
      return { schema: { ...schema, description, security: [{ token: [] }] } as never, url };
    },
  });
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown> };
}

interface Operation {
  requestBody?: unknown;
  parameters?: object[];
  responses: Record<string, { description?: string }>;
}

const SUCCESS: Record<string, string> = { 200: 'Done', 201: 'Created' };

/** What all calls share and no route says by itself. */
function addShared(method: string, operation: Operation): void {
  for (const [status, response] of Object.entries(operation.responses)) {
    response.description = SUCCESS[status] ?? response.description ?? '';
  }
  const hasPath = JSON.stringify(operation.parameters ?? []).includes('"in":"path"');
  if (method !== 'get')
    operation.parameters = [
      ...(operation.parameters ?? []),
      { $ref: '#/components/parameters/IdempotencyKey' },
    ];
  Object.assign(operation.responses, errorResponses(method, hasPath, operation.requestBody !== undefined));
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
