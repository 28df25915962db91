import type { FastifyContextConfig, FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { isOverload } from '../platform/db/unavailable.js';
import { publicError, sendError } from '../platform/http/answer-errors.js';
import { ApiError, busy } from '../platform/http/errors.js';
import { ORDERS } from './storage.js';

/**
 * The options of a route that uses the storage of orders. If only this storage fails, the route returns 502, while
 * routes that do not use it keep working. The error handler is set on the route and not on a plugin, because every
 * plugin adds its own classes of requests and replies, which makes all routes slower (see api.ts).
 */
export function usesOrders(config: FastifyContextConfig) {
  return {
    config: { ...config, mayBeUnavailable: true, area: ORDERS },
    errorHandler: answerUnavailable,
  };
}

function answerUnavailable(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const answer = publicError(error);
  const isOurs = answer.status < 500 || error instanceof ApiError;
  sendError(isOurs ? answer : unavailable(error), request, reply);
}

/**
 * Searches have few connections and a short timeout of their own. A search that gets no connection or exceeds the
 * timeout returns 503 and not 502, because this does not mean that the storage has failed.
 */
export async function orBusy<T>(search: Promise<T>): Promise<T> {
  try {
    return await search;
  } catch (error) {
    throw isOverload(error) ? busy(error) : error;
  }
}

function unavailable(cause: unknown): ApiError {
  return new ApiError(
    502,
    'orders_unavailable',
    'The orders service does not respond. Retry with exponential backoff.',
    { cause },
  );
}
