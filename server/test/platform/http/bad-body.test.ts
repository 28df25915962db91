import { beforeAll, describe, expect, test } from 'vitest';
import { expectRejected } from '../../support/expect-rejected.js';
import type { Answer, Feira, StoreClient } from '../../support/feira.js';
import { sharedFeira } from '../../support/shared-feira.js';

const JSON_TYPE = { 'content-type': 'application/json' };
const MEGABYTE = 1_048_576;
const MISSING = '01900000-0000-7000-8000-000000000000';

let feira: Feira;
let store: StoreClient;
/** Every call that accepts a body. */
let calls: { method: string; path: string; body: string }[];

beforeAll(async () => {
  feira = await sharedFeira();
  store = await feira.store();
  calls = feira.app.apiRoutes
    .filter(({ body }) => body !== 'none')
    .map(({ method, url, body }) => ({
      method,
      body,
      path: url.replace('/api/v1', '').replace(':id', MISSING).replace(':sku', 'S'),
    }));
  expect(calls.length).toBeGreaterThan(5);
});

/** Sends bytes and headers exactly as given and adds only the token. */
async function send(
  { method, path }: { method: string; path: string },
  payload: string | Buffer | undefined,
  headers: Record<string, string> = JSON_TYPE,
): Promise<Answer> {
  const response = await feira.app.inject({
    method: method as 'POST',
    url: `/api/v1${path}`,
    headers: { authorization: `Bearer ${store.token}`, ...headers },
    ...(payload !== undefined && { payload }),
  });
  return { status: response.statusCode, headers: response.headers, body: JSON.parse(response.body) };
}

async function everyCallRefuses(
  status: number,
  payload: string | Buffer | undefined,
  headers?: Record<string, string>,
): Promise<void> {
  const sendsNothing = payload === undefined || payload === '';
  for (const call of calls) {
    if (sendsNothing && call.body === 'optional') continue;
    expectRejected(await send(call, payload, headers), status);
  }
}

const PRODUCT = { method: 'POST', path: '/products' };
const STOCK = { method: 'PATCH', path: '/stock' };

describe('every call that accepts a body rejects with 400:', () => {
  test.each([
    '{',
    '{"name":}',
    "{'name':1}",
    '{"name":1,}',
    'name=1',
    '\0',
    '{} {}',
    'NaN',
    '// {}',
    '{"a":"\n"}',
  ])('broken JSON: %j', (text) => everyCallRefuses(400, text));

  test('a body of white space, or an empty one unless the body is optional', async () => {
    await everyCallRefuses(400, '');
    await everyCallRefuses(400, undefined);
    await everyCallRefuses(400, undefined, {});
    await everyCallRefuses(400, ' \n\t ');
  });

  test.each(['null', 'true', '7', '"text"'])('the bare value %s', (text) => everyCallRefuses(400, text));

  test('an array, except where the API accepts one', async () => {
    for (const call of calls)
      for (const text of ['[]', '[{}]', '[1]']) {
        const answer = await send(call, text);
        expectRejected(
          answer,
          `${call.method} ${call.path}` === `PATCH /products/${MISSING}/variants` ? 422 : 400,
        );
      }
  });

  test('bytes that are not UTF-8', async () => {
    for (const bytes of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xe2, 0x82], [0xf5, 0x80, 0x80, 0x80]])
      await everyCallRefuses(
        400,
        Buffer.concat([Buffer.from('{"name":"'), Buffer.from(bytes), Buffer.from('"}')]),
      );
    await everyCallRefuses(400, Buffer.from('{"name":"x"}', 'utf16le'));
  });

  test.each(['__proto__', '\\u005f_proto__', '\\u005F\\u005Fproto\\u005f\\u005f'])(
    'the key %s',
    async (key) => {
      await everyCallRefuses(400, `{"${key}":{"name":"x"}}`);
      await everyCallRefuses(400, `{"a":[{"${key}":1}]}`);
      expect(({} as { name?: string }).name).toBeUndefined();
    },
  );
});

test('"__proto__" as a value and "constructor" as a key are ordinary data', async () => {
  const odd = { name: '__proto__', price: 1, constructor: { prototype: { x: 1 } }, toString: null };
  const { status, body } = await store.post('/products', odd);
  expect([status, body.name]).toEqual([201, '__proto__']);
});

describe('a body whose content type is not application/json is rejected with 400', () => {
  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/json-patch+json',
    'text/json',
    'application/jsonp',
    'json',
    ';',
    '*/*',
    'application/',
    'application/json, text/plain',
    '\xff',
  ])('%s', (type) => everyCallRefuses(400, '{}', { 'content-type': type }));

  test('a missing Content-Type', () => everyCallRefuses(400, '{}', {}));

  test('an empty Content-Type', () => everyCallRefuses(400, '{}', { 'content-type': '' }));

  test('but application/json is accepted with a charset, and in upper or lower case', async () => {
    for (const type of [
      'application/json; charset=utf-8',
      'Application/JSON',
      'application/json;charset="UTF-8"',
    ])
      expect(
        (await send(STOCK, '{"entries":[{"sku":"x","delta":1}]}', { 'content-type': type })).status,
      ).toBe(200);
  });
});

describe('a large body', () => {
  test('over 1 MB is rejected with 413 by every call', async () => {
    await everyCallRefuses(413, `{"name":"${'x'.repeat(MEGABYTE)}"}`);
    expectRejected(await send(STOCK, `{"entries":[${'0,'.repeat(1_000_000)}0]}`), 413);
  });

  test('of exactly 1 MB is accepted', async () => {
    const frame = JSON.stringify({ name: 'Large', price: 1, unknown: '' });
    const full = JSON.stringify({ name: 'Large', price: 1, unknown: 'x'.repeat(MEGABYTE - frame.length) });
    expect(full.length).toBe(MEGABYTE);
    expect((await send(PRODUCT, full)).status).toBe(201);
    expectRejected(await send(PRODUCT, `${full} `), 413);
  });

  // Every list in a body has a maximum number of entries. Otherwise validating the entries would block all other
  // callers, and the response would be many times larger than the request.
  test.each([
    ['PATCH', '/stock', '{"entries":[', '0', ']}'],
    ['PATCH', '/stock', '{"entries":[', '{}', ']}'],
    ['PATCH', `/products/${MISSING}/variants`, '[', '0', ']'],
    ['PATCH', `/products/${MISSING}/variants`, '{"variants":[', '{}', ']}'],
    ['PUT', `/products/${MISSING}/variants`, '{"types":[', '0', '],"combinations":[]}'],
    ['PUT', `/products/${MISSING}/variants`, '{"types":[],"combinations":[', '0', ']}'],
    ['PUT', `/products/${MISSING}/variants`, '{"types":0,"combinations":[', '0', ']}'],
    ['PUT', `/products/${MISSING}/variants`, '{"combinations":[', '{"price":-1}', ']}'],
    [
      'PUT',
      `/products/${MISSING}/variants`,
      '{"types":[{"name":0,"options":[',
      '0',
      ']}],"combinations":[]}',
    ],
    ['PUT', `/products/${MISSING}/variants`, '{"types":[0],"combinations":[{"options":[', '0', ']}]}'],
  ])(
    '%s %s with 1 MB of entries (%s%s…%s) is rejected with a small response',
    async (method, path, head, entry, tail) => {
      const count = Math.floor((MEGABYTE - head.length - tail.length + 1) / (entry.length + 1));
      const text = head + `${entry},`.repeat(count - 1) + entry + tail;
      const answer = await send({ method, path }, text);
      expectRejected(answer, 422);
      expect(JSON.stringify(answer.body).length).toBeLessThan(10_000);
    },
  );
});

describe('nesting', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

  test('of 10,000 levels as the value of a field is rejected with 422', async () => {
    expectRejected(await send(PRODUCT, `{"price":1,"name":${nested(10_000)}}`), 422, ['name']);
    expectRejected(await send(STOCK, `{"entries":${nested(10_000)}}`), 422);
  });

  test('of 10,000 levels as the body is rejected', () => everyCallRefuses400Or422(nested(10_000)));

  test('of 500,000 levels in an unknown field is ignored', async () => {
    const { status } = await send(PRODUCT, `{"name":"Deep","price":1,"unknown":${nested(500_000)}}`);
    expect(status).toBe(201);
    const object = `{"name":"Deep object","price":1,"unknown":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`;
    expect((await send(PRODUCT, object)).status).toBe(201);
  });

  async function everyCallRefuses400Or422(text: string): Promise<void> {
    for (const call of calls) {
      const takesArray = call.method === 'PATCH' && call.path.endsWith('/variants');
      expectRejected(await send(call, text), takesArray ? 422 : 400);
    }
  }
});

describe('an Idempotency-Key', () => {
  const key = (value: string) => ({ ...JSON_TYPE, 'idempotency-key': value });

  test('that is empty or longer than 255 characters is rejected with 400', async () => {
    const body = '{"entries":[{"sku":"x","delta":1}]}';
    expectRejected(await send(STOCK, body, key('k'.repeat(256))), 400);
    expectRejected(await send(STOCK, body, key('')), 400);
    expect((await send(STOCK, body, key('k'.repeat(255)))).status).toBe(200);
    expect((await send(STOCK, body, key('é "\'\\%\t~'))).status).toBe(200);
  });

  test('applies to rejections too: the same malformed body gets the same response', async () => {
    const first = await send(PRODUCT, '{', key('broken'));
    expectRejected(first, 400);
    const again = await send(PRODUCT, '{', key('broken'));
    expect([again.status, again.headers['idempotent-replayed'], again.body]).toEqual([
      400,
      'true',
      first.body,
    ]);
  });
});
