import { expect } from 'vitest';
import type { Answer } from './feira.js';

// Matches stack traces, internal paths and PostgreSQL messages.
const INSIDES = /\n\s+at |node_modules|\/dist\/|\.[jt]s:\d|\bsyntax error at or near\b|\bviolates\b|\bERROR:/;

const RETRIED_CONFLICTS = ['idempotency_key_in_use', 'refund_under_way'];

/** Checks the error format: no field is missing or additional, and no internals leak. */
export function expectErrorShape({ status, body, headers }: Answer): void {
  const details = status === 422 ? { details: expect.any(Array) } : {};
  expect(body).toEqual({
    error: expect.stringMatching(/\S/),
    code: expect.stringMatching(/^[a-z]+(_[a-z]+)*$/),
    requestId: headers['x-request-id'],
    docUrl: expect.stringMatching(new RegExp(`^https?://.+/docs/errors/${body.code}$`)),
    ...details,
  });
  expect(body.requestId).toEqual(expect.any(String));
  const isWorthRetrying =
    [408, 429].includes(status) || status >= 500 || RETRIED_CONFLICTS.includes(body.code);
  expect([body.code, headers['x-should-retry']]).toEqual([body.code, String(isWorthRetrying)]);
  for (const detail of body.details ?? [])
    expect(detail).toEqual({ field: expect.any(String), message: expect.stringMatching(/\S/) });
  expect(JSON.stringify(body)).not.toMatch(INSIDES);
}

/**
 * Checks that the call was rejected with this status in the error format and, for a 422, with exactly these fields in
 * any order.
 */
export function expectRejected(answer: Answer, status: number, fields?: string[]): void {
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status });
  expectErrorShape(answer);
  if (fields) expect(fieldsOf(answer)).toEqual([...fields].sort());
}

function fieldsOf({ body }: Answer): string[] {
  return [...new Set<string>(body.details.map(({ field }: { field: string }) => field))].sort();
}
