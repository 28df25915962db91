import fastJsonStringify from 'fast-json-stringify';
import type { FastifySerializerCompiler } from 'fastify';

/**
 * Routes with the same schema, such as GET and HEAD, share a serializer. Compiling one takes milliseconds, and
 * compiling one for every route took a third of the time to build a server. Serializers are cached by the text of the
 * schema.
 */
export const serializerCompiler: FastifySerializerCompiler<object> = ({ schema }) => {
  const key = JSON.stringify(schema);
  const compiled = serializers.get(key) ?? fastJsonStringify(schema);
  serializers.set(key, compiled);
  return compiled;
};

const serializers = new Map<string, (value: unknown) => string>();
