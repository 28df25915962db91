import { expect } from 'vitest';
import type { Answer } from './feira.js';

// What a stack trace, a path of ours or a message of PostgreSQL would look like.
const INSIDES = /\n\s+at |node_modules|\/dist\/|\.[jt]s:\d|\bsyntax error at or near\b|\bviolates\b|\bERROR:/;

const RETRIED_CONFLICTS = ['idempotency_key_in_use', 'refund_under_way'];

/** The one error shape: nothing missing, nothing more, and nothing of our insides. */
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

/** Refused with this status in the error shape; of a 422, exactly these fields are named (in any order). */
export function expectRefusal(answer: Answer, status: number, fields?: string[]): void {
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status });
  expectErrorShape(answer);
  if (fields) expect(fieldsOf(answer)).toEqual([...fields].sort());
}

export function fieldsOf({ body }: Answer): string[] {
  return [...new Set<string>(body.details.map(({ field }: { field: string }) => field))].sort();
}
