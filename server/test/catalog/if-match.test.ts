import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newProduct, observe, sizes } from '../support/catalog.js';
import { expectRejected } from '../support/expect-rejected.js';
import type { Feira, StoreClient } from '../support/feira.js';
import { sharedFeira } from '../support/shared-feira.js';

let feira: Feira;
let store: StoreClient;
let id: string;
let tag: string;

beforeAll(async () => {
  feira = await sharedFeira();
  store = await feira.store();
});
beforeEach(async () => {
  id = await newProduct(store, { quantity: 5 });
  tag = await currentTag();
});

const currentTag = async () => String((await store.get(`/products/${id}`)).headers.etag);
const patch = (ifMatch: string, body: object = { price: 11 }) =>
  store.patch(`/products/${id}`, body, { 'if-match': ifMatch });
const OTHER = '"0123456789abcdef"';

test('a change and a deletion with the current ETag succeed', async () => {
  expect(await patch(tag)).toMatchObject({ status: 200, body: { price: 11 } });
  expect((await store.delete(`/products/${id}`, { 'if-match': await currentTag() })).status).toBe(200);
});

const changes: [string, () => Promise<unknown>][] = [
  ['a field', () => store.patch(`/products/${id}`, { description: 'New' })],
  ['the stock', () => store.patch(`/products/${id}/stock`, { quantity: 6 })],
  ['the variations', () => store.put(`/products/${id}/variants`, sizes({ S: 1 }))],
  ['the images', () => store.post(`/products/${id}/images`, { url: 'https://images.example/1.png' })],
];

test.each(changes)(
  'after a change to %s, a call with the old ETag returns 412 and changes nothing',
  async (_what, change) => {
    await change();
    const before = (await store.get(`/products/${id}`)).body;
    for (const call of [() => patch(tag), () => store.delete(`/products/${id}`, { 'if-match': tag })]) {
      const { events, ...answer } = await observe(feira, store, call);
      expectRejected(answer, 412);
      expect([answer.body.code, events]).toEqual(['precondition_failed', []]);
    }
    expect((await store.get(`/products/${id}`)).body).toEqual(before);
  },
);

test('exactly one of 50 concurrent changes with the same ETag succeeds', async () => {
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) => patch(tag, { description: `Change ${n}` })),
  );
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  expect(statuses.filter((status) => status === 412)).toHaveLength(49);
  const winner = answers.find(({ status }) => status === 200)!;
  expect((await store.get(`/products/${id}`)).body).toEqual(winner.body);
});

test('of ten concurrent changes and a deletion with the same ETag, exactly one succeeds', async () => {
  const answers = await Promise.all([
    ...Array.from({ length: 10 }, (_, n) => patch(tag, { description: `Change ${n}` })),
    store.delete(`/products/${id}`, { 'if-match': tag }),
  ]);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  for (const { status } of answers) expect([200, 404, 412]).toContain(status);
});

describe('forms of the If-Match header:', () => {
  test.each([
    ['*', () => '*'],
    ['a list that has the tag', () => `${OTHER}, ${tag}`],
    ['a list that has the tag and empty elements', () => `, ${OTHER} ,,\t${tag},`],
  ])('%s matches', async (_form, header) => {
    expect((await patch(header())).status).toBe(200);
  });

  test.each([
    ['another tag', () => OTHER],
    ['a list without the tag', () => `${OTHER}, "b"`],
    ['a weak tag (If-Match compares strongly)', () => `W/${tag}`],
    ['an empty tag', () => '""'],
    ['another tag that contains a comma', () => `"a,${tag.slice(1)}`],
  ])('%s returns 412', async (_form, header) => {
    expectRejected(await patch(header()), 412);
  });

  test.each(['', ' ', ',', 'abc', '"abc', 'abc"', '*, "a"', '"a" "b"', 'w/"a"', '"a b"', '**'])(
    '%j is malformed and rejected with 400, before the body is validated',
    async (header) => {
      const answer = await patch(header, { price: -1 });
      expectRejected(answer, 400);
      expect(answer.body.code).toBe('invalid_parameter');
      expect((await currentTag()) === tag).toBe(true);
    },
  );
});

test('a product that does not exist returns 404, whatever the tag', async () => {
  await store.delete(`/products/${id}`);
  for (const header of ['*', tag, OTHER]) {
    expectRejected(await patch(header), 404);
    expectRejected(await store.delete(`/products/${id}`, { 'if-match': header }), 404);
  }
});

test('an invalid body returns 422 before the tag is compared', async () => {
  expectRejected(await patch(OTHER, { price: -1 }), 422, ['price']);
});

describe('with an Idempotency-Key', () => {
  const keyed = (ifMatch: string, key: string) =>
    store.patch(`/products/${id}`, { price: 12 }, { 'if-match': ifMatch, 'idempotency-key': key });

  test('a repeated call returns the stored response, although the ETag that it sends is outdated by then', async () => {
    expect((await keyed(tag, 'repeated')).status).toBe(200);
    const again = await keyed(tag, 'repeated');
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([200, 'true']);
  });

  test('the same key with another ETag is rejected, because it is another request', async () => {
    expect((await keyed(OTHER, 'other')).status).toBe(412);
    const again = await keyed(tag, 'other');
    expect([again.status, again.body.code]).toEqual([422, 'idempotency_key_reused']);
  });
});

test('a dry run compares the tag, too', async () => {
  const dry = (header: string) =>
    store.patch(`/products/${id}?dryRun=true`, { price: 12 }, { 'if-match': header });
  expect((await dry(OTHER)).status).toBe(412);
  expect((await dry(tag)).status).toBe(200);
  expect(await currentTag()).toBe(tag);
});
