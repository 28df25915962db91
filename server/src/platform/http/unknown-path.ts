import type { FastifyInstance, FastifyRequest } from 'fastify';
import { pathOf } from './answer-errors.js';
import { ApiError, unknownPath } from './errors.js';
import { refuseBrokenQuery } from './query-parameters.js';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/**
 * Responds with 404 to an unknown path, and with 405 to a known path with a method that it does not support. As for
 * all calls, the guard in api.ts runs first: it requires a token and counts the call against the rate limit.
 */
export function refuseUnknownPaths(app: FastifyInstance): void {
  // QUERY is registered again, as a method without a body, so that it also gets a 405. Otherwise the framework would
  // first reject the Content-Type of its body.
  app.addHttpMethod('QUERY', { overrideExisting: true });
  app.setNotFoundHandler({ preValidation: refuseBrokenQuery }, (request) => {
    const url = pathOf(request);
    const allow = METHODS.filter((method) => isComplete(app.findRoute({ method, url })?.params)).join(', ');
    if (allow === '') throw unknownPath(url);
    throw new ApiError(
      405,
      'method_not_allowed',
      `Method ${request.method} is not allowed. Allowed: ${allow}.`,
      {
        headers: { Allow: allow },
      },
    );
  });
}

/** The router treats /products/ as a product with an empty id. To clients it is an unknown path. */
export function refuseEmptyParameter(
  request: FastifyRequest,
  _reply: unknown,
  done: (error?: Error) => void,
): void {
  done(isComplete(request.params as PathParameters) ? undefined : unknownPath(pathOf(request)));
}

type PathParameters = Record<string, string | undefined>;

function isComplete(parameters: PathParameters | undefined): boolean {
  for (const name in parameters) if (parameters[name] === '') return false;
  return parameters !== undefined;
}
