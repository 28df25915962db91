import type { FastifyError, FastifyInstance } from 'fastify';
import { publicError, sendError } from '../platform/answer-errors.js';
import { ApiError } from '../platform/errors.js';

/** Orders have connections of their own with a short patience; when those fail, it is 502 here and nothing elsewhere. */
export function answerUnavailable(app: FastifyInstance): void {
  app.addHook('onRoute', ({ config }) => {
    if (config) config.mayBeUnavailable = true;
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
