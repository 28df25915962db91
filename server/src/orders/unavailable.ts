import type { FastifyError, FastifyInstance } from 'fastify';
import { isOverload } from '../platform/db/unavailable.js';
import { publicError, sendError } from '../platform/http/answer-errors.js';
import { ApiError, busy } from '../platform/http/errors.js';
import { ORDERS } from './storage.js';

/** The storage of the orders may fail on its own: then these routes answer 502, and all others work. */
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
 * Searches have few connections and a short timeout of their own: one that is refused for that says nothing about the
 * storage of the orders, so it is 503 and not 502.
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
    'The orders service does not answer; wait a moment and retry',
    { cause },
  );
}
