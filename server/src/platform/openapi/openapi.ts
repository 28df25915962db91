import type {} from '@fastify/swagger';
import Fastify, { type FastifyContextConfig, type FastifyInstance, type RouteOptions } from 'fastify';
import type { DocumentPart } from './document-part.js';
import { INTRODUCTION, scopeSentence, TAGS } from './openapi-texts.js';
import { SHARED_COMPONENTS, sharedResponses } from './shared-responses.js';
import { snapshotContent } from './snapshot-content.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set if the body contains the id of a resource. The call returns 404 if that resource does not exist. */
    bodyHasId?: boolean;
    /** The call uses the storage of orders (see usesOrders) and returns 502 if that storage fails. */
    mayBeUnavailable?: boolean;
    /** A cursor of this list may be too old or refer to changes lost in a restore. Then the response is 410. */
    cursorMayExpire?: boolean;
    /** The shape of a record, if the list is streamed as a snapshot to clients that accept NDJSON. */
    snapshotOf?: object;
  }
}

/**
 * Serves the OpenAPI document and returns a function that reads it. The document is generated on first use, from the
 * routes registered after this call that are not hidden, and from the parts that domains add.
 */
export function describeApi(
  app: FastifyInstance,
  publicUrl: string,
  described: DocumentPart[],
): () => Promise<object> {
  const routes: RouteOptions[] = [];
  app.addHook('onRoute', (route) => {
    if (!route.schema?.hide && route.method !== 'HEAD') routes.push(route);
  });
  let document: Promise<object> | undefined;
  const readDocument = () => {
    document ??= generateDocument(routes, publicUrl, described);
    return document;
  };
  app.get('/openapi.json', { schema: { hide: true } }, readDocument);
  return readDocument;
}

/**
 * Generates the document with a second Fastify instance that has the same routes but does not listen. The plugin is
 * imported here, because a static import would delay every start.
 */
async function generateDocument(
  routes: RouteOptions[],
  publicUrl: string,
  described: DocumentPart[],
): Promise<object> {
  const { default: swagger } = await import('@fastify/swagger');
  const configs = new Map<string, FastifyContextConfig>();
  const app = Fastify({ exposeHeadRoutes: false });
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => () => '');
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
          ...Object.assign({}, ...described.map(({ securitySchemes }) => securitySchemes)),
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
      for (const { schemas, paths, webhooks } of described) {
        Object.assign(openapiObject.components.schemas, schemas);
        Object.assign(openapiObject.paths, paths);
        openapiObject.webhooks = { ...openapiObject.webhooks, ...webhooks };
      }
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
          security: securityOf(config.scope),
          ...(body && { body: withBareArray(body, config.bareArray) }),
        } as never,
        url,
      };
    },
  });
  for (const { method, url, schema, config, handler } of routes)
    app.route({ method, url, handler, ...(schema && { schema }), ...(config && { config }) });
  await app.ready();
  return app.swagger();
}

/**
 * Any one of the scopes is sufficient. Two security schemes are listed: the OAuth flow, and a bearer token that was
 * obtained in another way.
 */
function securityOf(scope: string | readonly string[]): object[] {
  const scopes = [scope].flat() as string[];
  return [...scopes.map((name) => ({ oauth2: name === 'any' ? [] : [name] })), { token: [] }];
}

interface Document {
  webhooks?: Record<string, object>;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown> };
}

interface Described {
  operationId: string;
  description?: string;
  body?: BodyShape;
}

interface BodyShape {
  /** The first example succeeds in the demo store if its ids are replaced with ids of that store. */
  examples?: unknown[];
  anyOf?: BodyShape[];
  properties?: Record<string, object>;
}

interface Operation {
  operationId: string;
  requestBody?: { required?: boolean; content: Record<string, { schema?: BodyShape; example?: unknown }> };
  parameters?: object[];
  responses: Record<string, { description?: string; headers?: object; content?: object }>;
}

const DRY_RUN_HEADER = {
  'X-Dry-Run': {
    description: 'Only with dryRun=true: nothing was stored.',
    schema: { type: 'string', const: 'true' },
  },
};

const SUCCESS: Record<string, string> = { 200: 'Success', 201: 'Created' };

/** Adds the parameters, headers and responses that many calls share, so that no route has to repeat them. */
function addShared(method: string, operation: Operation, config: FastifyContextConfig): void {
  for (const [status, response] of Object.entries(operation.responses)) {
    response.description = SUCCESS[status] ?? response.description ?? '';
  }
  const parameters = JSON.stringify(operation.parameters ?? []);
  const hasPath = parameters.includes('"in":"path"');
  if (parameters.includes('"name":"dryRun"'))
    for (const response of Object.values(operation.responses)) response.headers = DRY_RUN_HEADER;
  const headers = [
    ...(method !== 'get' ? ['IdempotencyKey'] : config.etag ? ['IfNoneMatch'] : []),
    ...(config.ifMatch ? ['IfMatch'] : []),
  ].map((name) => ({ $ref: `#/components/parameters/${name}` }));
  if (headers.length > 0) operation.parameters = [...(operation.parameters ?? []), ...headers];
  if (config.bodyOptional && operation.requestBody) operation.requestBody.required = false;
  const media = operation.requestBody?.content['application/json'];
  const [example] = exampleOwner(media?.schema)?.examples ?? [];
  if (media && example !== undefined) media.example = example;
  if (config.snapshotOf)
    Object.assign(operation.responses[200]!.content!, snapshotContent(config.snapshotOf));
  Object.assign(operation.responses, sharedResponses(method, hasPath, config));
}

function exampleOwner(schema: BodyShape | undefined): BodyShape | undefined {
  return schema?.anyOf ? schema.anyOf[0] : schema;
}

function withBareArray(body: BodyShape, field: string | undefined): object {
  return field === undefined ? body : { anyOf: [body, body.properties?.[field]] };
}

/** Moves every shape that has a title and a type to components, under its title, and puts a reference in its place. */
function nameShapes(node: unknown, named: Record<string, unknown>): unknown {
  if (Array.isArray(node)) return node.map((each) => nameShapes(each, named));
  if (typeof node !== 'object' || node === null) return node;
  const { title, ...shape } = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, nameShapes(value, named)]),
  );
  // Documents the length after normalization, which is the length callers need to know. The validator also limits the
  // raw text.
  if (typeof shape['x-name'] === 'number') Object.assign(shape, { minLength: 1, maxLength: shape['x-name'] });
  if (typeof title !== 'string' || !('type' in shape))
    return title === undefined ? shape : { title, ...shape };
  named[title] = shape;
  return { $ref: `#/components/schemas/${title}` };
}
