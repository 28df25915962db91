import { afterAll, beforeAll, expect, test } from 'vitest';
import { pngOf } from '../../server/test/support/images.js';
import { type LiveServer, openLiveServer } from './support/live-server.js';

let server: LiveServer;
beforeAll(async () => {
  server = await openLiveServer();
});
afterAll(() => server.close());

test('images.upload uploads and attaches an image in one call, and images can be moved, attached by URL and deleted', async () => {
  const { client } = await server.connect();
  const { id } = await client.products.create({ name: 'Caneca', price: 10 });
  const first = await client.images.upload(id, await pngOf(1));
  const cover = await client.images.upload(id, new Blob([new Uint8Array(await pngOf(2))]), { order: 0 });
  expect(first).toMatchObject({ contentType: 'image/png', order: 0 });
  expect((await client.images.list(id)).map(({ id }) => id)).toEqual([cover.id, first.id]);
  expect((await fetch(cover.url)).status).toBe(200);
  await client.images.move(id, first.id, 0);
  await client.images.attach(id, { url: 'https://erp.example/a.jpg' });
  await client.images.delete(id, cover.id);
  expect((await client.images.list(id)).map(({ key }) => key === null)).toEqual([false, true]);
});

test('images.upload rejects an SVG before anything is sent', async () => {
  let calls = 0;
  const { client } = await server.connect({
    fetch: (input, init) => {
      calls++;
      return fetch(input, init);
    },
  });
  await expect(client.images.upload('p1', new TextEncoder().encode('<svg/>'))).rejects.toMatchObject({
    code: 'invalid_argument',
  });
  expect(calls).toBe(0);
});

test('images.upload sends the bytes again when the storage could not be reached', async () => {
  let failures = 0;
  const { client } = await server.connect({
    fetch: async (input, init) => {
      if (init?.method === 'PUT' && failures++ < 2) throw new TypeError('fetch failed');
      return fetch(input, init);
    },
    clock: { now: Date.now, sleep: async () => {} },
  });
  const { id } = await client.products.create({ name: 'Caneca', price: 10 });
  await client.images.upload(id, await pngOf(1));
  expect(failures).toBe(3);
});

test('an upload can be aborted while the bytes are sent, and makes as many attempts as its options allow', async () => {
  const abort = new AbortController();
  let puts = 0;
  const { client } = await server.connect({
    fetch: async (input, init) => {
      if (init?.method !== 'PUT') return fetch(input, init);
      if (++puts === 3) abort.abort('enough');
      throw new TypeError('fetch failed');
    },
    clock: { now: Date.now, sleep: async () => {} },
  });
  const { id } = await client.products.create({ name: 'Caneca', price: 10 });
  const png = await pngOf(1);
  await expect(client.images.upload(id, png, { maxAttempts: 2 })).rejects.toMatchObject({
    code: 'connection_failed',
    attempts: 2,
  });
  await expect(client.images.upload(id, png, { signal: abort.signal, maxAttempts: 1 })).rejects.toMatchObject(
    {
      code: 'aborted',
      attempts: 1,
      cause: 'enough',
    },
  );
});
