import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Feira, openFeira, type StoreClient } from '../../support/feira.js';

let feira: Feira;
let store: StoreClient;
beforeAll(async () => {
  feira = await openFeira();
  store = await feira.store();
  await feira.app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => feira.close());

/** Returns the status of the response to these bytes. */
async function statusOf(bytes: string): Promise<number> {
  const socket = connect((feira.app.server.address() as AddressInfo).port, '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (text) => {
    received += text;
  });
  socket.end(bytes);
  await once(socket, 'close');
  return Number(received.split(' ')[1]);
}

const PATHS = [
  '/api/oauth/token',
  '/api/oauth/revoke',
  '/.well-known/oauth-authorization-server',
  '/sign-in',
  '/api/v1/me',
];

test.each(PATHS)('%s rejects a missing or repeated Host and an unknown Expect', async (path) => {
  expect(await statusOf(`GET ${path} HTTP/1.1\r\nConnection: close\r\n\r\n`)).toBe(400);
  expect(await statusOf(`GET ${path} HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n`)).toBe(400);
  expect(await statusOf(`GET ${path} HTTP/1.1\r\nHost: a\r\nHOST: a\r\nConnection: close\r\n\r\n`)).toBe(400);
  expect(await statusOf(`GET ${path} HTTP/1.1\r\nHost: a\r\nExpect: x\r\nConnection: close\r\n\r\n`)).toBe(
    417,
  );
});

test('the token endpoint rejects an unknown Expect with an error in the format of RFC 6749', async () => {
  const answer = await feira.app.inject({
    method: 'POST',
    url: '/api/oauth/token',
    headers: { expect: 'x' },
  });
  expect([answer.statusCode, answer.json().error]).toEqual([417, 'invalid_request']);
});

describe('the Authorization header', () => {
  const asked = (authorization: string) =>
    feira.app.inject({ url: '/api/v1/me', headers: { authorization } }).then(({ statusCode }) => statusCode);

  test('must consist of a scheme in any letter case, one or more spaces and a token (RFC 9110, 11.4)', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR', 'Bearer  '])
      expect([scheme, await asked(`${scheme} ${store.token}`)]).toEqual([scheme, 200]);
    for (const header of [
      `Bearer\t${store.token}`,
      `Bearer${store.token}`,
      `Bearer ${store.token} x`,
      store.token,
    ])
      expect([header, await asked(header)]).toEqual([header, 401]);
  });

  test('is cached under one spelling, so that each token has one cache entry', async () => {
    const { credentials } = feira.context;
    for (const scheme of ['BEARER', 'Bearer   ', 'bearer']) await asked(`${scheme} ${store.token}`);
    expect(credentials.remembered(`Bearer ${store.token}`)).toBeDefined();
    for (const scheme of ['BEARER', 'Bearer   ', 'bearer'])
      expect(credentials.remembered(`${scheme} ${store.token}`)).toBeUndefined();
  });
});
