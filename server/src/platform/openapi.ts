import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { ERROR_COMPONENTS, errorResponses, INTRODUCTION, scopeSentence, TAGS } from './openapi-texts.js';

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
        ...ERROR_COMPONENTS,
      },
    },
    transformObject: (document) => {
      const { openapiObject } = document as {
        openapiObject: { paths?: Record<string, Record<string, Operation>> };
      };
      for (const path of Object.values(openapiObject.paths ?? {})) {
        for (const [method, operation] of Object.entries(path)) addErrors(method, operation);
      }
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

interface Operation {
  requestBody?: unknown;
  parameters?: { in: string }[];
  responses: Record<string, unknown>;
}

function addErrors(method: string, operation: Operation): void {
  const hasPath = operation.parameters?.some((parameter) => parameter.in === 'path') ?? false;
  Object.assign(operation.responses, errorResponses(method, hasPath, operation.requestBody !== undefined));
}
