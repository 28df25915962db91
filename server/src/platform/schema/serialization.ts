import fastJsonStringify from 'fast-json-stringify';
import type { FastifySerializerCompiler } from 'fastify';

/**
 * Compiling takes milliseconds and a third of the time to build a server, so routes with the same schema share a
 * serializer, as GET and HEAD do. Keyed by the text of the schema.
 */
export const serializerCompiler: FastifySerializerCompiler<object> = ({ schema }) => {
  const key = JSON.stringify(schema);
  const compiled = serializers.get(key) ?? fastJsonStringify(schema);
  serializers.set(key, compiled);
  return compiled;
};

const serializers = new Map<string, (value: unknown) => string>();
