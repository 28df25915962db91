import type { FastifyRequest, RouteOptions } from 'fastify';
import { badParameter } from './answer-errors.js';
import { ApiError, badRequest } from './errors.js';

type Check = (request: FastifyRequest, reply: unknown, done: (error?: Error) => void) => void;

/** Returns the checks of the query. They run before the body is parsed. */
export function queryChecks({ schema, method }: RouteOptions): Check[] {
  const { properties = {} } = (schema?.querystring ?? {}) as { properties?: object };
  const known = Object.keys(properties);
  const isWrite = ![method].flat().every((each) => each === 'GET' || each === 'HEAD');
  const checks = [refuseBrokenQuery, refuseUnknown(known, isWrite)];
  // The framework validates the body before the query, but a caller should see query errors first.
  return schema?.body && known.length > 0 ? [...checks, validateQuery] : checks;
}

/** Rejects invalid percent-encoding. The framework treats it as plain text, so ?search=%zz would look for "%zz". */
export function refuseBrokenQuery(
  { url }: FastifyRequest,
  _reply: unknown,
  done: (error?: Error) => void,
): void {
  const start = url.indexOf('?');
  const isValid = start === -1 || !url.includes('%', start) || isDecodable(url.slice(start));
  done(isValid ? undefined : badRequest('The query is not valid percent-encoded UTF-8', 'invalid_parameter'));
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function refuseUnknown(known: string[], isWrite: boolean): Check {
  const names = new Set(known);
  return ({ query }, _reply, done) => {
    for (const name in query as object) {
      if (names.has(name)) continue;
      done(isWrite && name === 'dryRun' ? dryRunUnsupported() : unknownParameter(name, known));
      return;
    }
    done();
  };
}

function validateQuery(request: FastifyRequest, _reply: unknown, done: (error?: Error) => void): void {
  const validate = request.getValidationFunction('querystring');
  if (!validate || validate(request.query)) done();
  else done(badParameter(validate.errors?.[0]));
}

function dryRunUnsupported(): ApiError {
  return new ApiError(400, 'dry_run_unsupported', 'This call does not support dryRun');
}

const SHOWN = 40;

function unknownParameter(name: string, known: string[]): ApiError {
  const nearest = nearestTo(name.slice(0, SHOWN), known);
  const advice = nearest
    ? `Did you mean ${nearest}?`
    : known.length > 0
      ? `Known parameters: ${[...known].sort().join(', ')}.`
      : 'This call takes none.';
  return badRequest(`Unknown query parameter ${name.slice(0, SHOWN)}. ${advice}`, 'invalid_parameter');
}

/**
 * Returns the most similar known name, or undefined if none is similar. Comparing pairs of letters finds the name
 * despite typing errors and swapped words (shippingStatus instead of statusShipping). Case is ignored.
 */
function nearestTo(name: string, known: string[]): string | undefined {
  const wanted = pairsOf(name);
  let best: { name: string | undefined; similarity: number } = { name: undefined, similarity: 0.4 };
  for (const candidate of known) {
    const pairs = pairsOf(candidate);
    const common = [...wanted].filter((pair) => pairs.has(pair)).length;
    const similarity = (2 * common) / (wanted.size + pairs.size);
    if (similarity > best.similarity) best = { name: candidate, similarity };
  }
  return best.name;
}

function pairsOf(word: string): Set<string> {
  const letters = word.toLowerCase();
  return new Set(
    Array.from({ length: Math.max(0, letters.length - 1) }, (_, at) => letters.slice(at, at + 2)),
  );
}
