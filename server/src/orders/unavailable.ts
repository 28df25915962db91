import type { FastifyError, FastifyInstance } from 'fastify';
import { publicError, sendError } from '../platform/http/answer-errors.js';
import { ApiError } from '../platform/http/errors.js';
import { ORDERS } from './storage.js';

/** The storage of the orders may fail on its own: then these routes answer 502, and all others work. */
export function answerUnavailable(app: FastifyInstance): void {
  app.addHook('onRoute', ({ config }) => {
    if (!config) return;
    config.mayBeUnavailable = true;
    config.area = ORDERS;
  });
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const told = publicError(error);
    sendError(told.status < 500 ? told : unavailable(error), request, reply);
  });
}

function unavailable(cause: unknown): ApiError {
  return new ApiError(
    502,
    'orders_unavailable',
    'The orders service does not answer; wait a moment and retry',
    { cause },
  );
}
