import { beforeAll, expect, test } from 'vitest';
import type { Feira } from '../../support/feira.js';
import { sharedFeira } from '../../support/shared-feira.js';

// Tests forms and queries that can be sent without signing in.

let feira: Feira;
beforeAll(async () => {
  feira = await sharedFeira();
});

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const PATHS = ['/api/oauth/token', '/api/oauth/revoke', '/sign-in', '/oauth/authorize', '/partners/sign-up'];

function post(url: string, payload: string) {
  return feira.app.inject({ method: 'POST', url, headers: FORM, payload });
}

function distinctFields(count: number): string {
  return Array.from({ length: count }, (_, index) => `f${index}=`).join('&');
}

test.each(PATHS)('%s rejects a form of more than 64 kB with 413', async (path) => {
  expect((await post(path, `a=${'x'.repeat(65_536)}`)).statusCode).toBe(413);
  expect((await post(path, 'x'.repeat(1_000_000))).statusCode).toBe(413);
});

test.each(PATHS)('%s rejects a form of more than 100 fields with 400', async (path) => {
  const answer = await post(path, distinctFields(101));
  expect(answer.statusCode).toBe(400);
  expect(answer.body).toContain('100');
});

test('the token endpoint uses the error format of RFC 6749 for too many fields and for too large a form', async () => {
  for (const payload of [distinctFields(101), `a=${'x'.repeat(65_536)}`])
    expect((await post('/api/oauth/token', payload)).json()).toEqual({
      error: 'invalid_request',
      error_description: expect.any(String),
    });
});

test('a form of 100 fields is accepted', async () => {
  const answer = await post('/api/oauth/token', `${distinctFields(99)}&grant_type=password`);
  expect(answer.json().error).toBe('unsupported_grant_type');
});

test.each(['/oauth/authorize', '/sign-in'])(
  '%s rejects a query of more than 100 parameters',
  async (path) => {
    const answer = await feira.app.inject(`${path}?${distinctFields(101)}`);
    expect(answer.statusCode).toBe(400);
  },
);

test('the error names a field that is sent twice', async () => {
  const answer = await post('/api/oauth/token', 'a=1&code=2&grant_type=x&code=3');
  expect(answer.json()).toEqual({
    error: 'invalid_request',
    error_description: 'code is sent more than once',
  });
});
