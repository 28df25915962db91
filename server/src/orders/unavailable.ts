import type { FastifyError, FastifyInstance } from 'fastify';
import { isOverload } from '../platform/db/unavailable.js';
import { publicError, sendError } from '../platform/http/answer-errors.js';
import { ApiError, busy } from '../platform/http/errors.js';
import { ORDERS } from './storage.js';

/**
 * The storage of orders may fail independently. The routes that need it then return 502, while all others keep working.
 */
export function answerUnavailable(app: FastifyInstance): void {
  app.addHook('onRoute', ({ config }) => {
    if (!config) return;
    config.mayBeUnavailable = true;
    config.area = ORDERS;
  });
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const answer = publicError(error);
    const isOurs = answer.status < 500 || error instanceof ApiError;
    sendError(isOurs ? answer : unavailable(error), request, reply);
  });
}

/**
 * Searches have few connections and a short timeout of their own. A search rejected for that reason returns 503 and
 * not 502, because it does not indicate a failure of the storage.
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
