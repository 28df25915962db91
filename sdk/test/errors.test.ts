import { expect, test, vi } from 'vitest';
import { Feira } from '../src/client.js';
import { FeiraError, ReconnectNeeded } from '../src/errors.js';
import { refuse, ScriptedServer } from './support/scripted-server.js';

test('the errors of one copy of the SDK are recognized by another copy', async () => {
  vi.resetModules();
  const copy = await import('../src/errors.js');
  expect(copy.FeiraError).not.toBe(FeiraError);
  const error = new FeiraError('gone', { code: 'not_found' });
  expect(error).toBeInstanceOf(copy.FeiraError);
  expect(error).not.toBeInstanceOf(copy.ReconnectNeeded);
  const reconnect = new ReconnectNeeded('store', 'https://feira.example/oauth/authorize');
  expect(reconnect).toBeInstanceOf(copy.ReconnectNeeded);
  expect(reconnect).toBeInstanceOf(copy.FeiraError);
});

test('other values are not recognized as errors of the SDK', () => {
  for (const value of [undefined, null, 'text', {}, new Error('x')])
    expect(value).not.toBeInstanceOf(FeiraError);
});

test('instances of a subclass defined by an application are recognized by their prototype', () => {
  class OwnError extends FeiraError {}
  expect(new FeiraError('x', { code: 'busy' })).not.toBeInstanceOf(OwnError);
  expect(new OwnError('x', { code: 'busy' })).toBeInstanceOf(OwnError);
  expect(new OwnError('x', { code: 'busy' })).toBeInstanceOf(FeiraError);
});

test('the first two frames of the stack of an error include the caller', async () => {
  await using server = await ScriptedServer.open(refuse(404, 'not_found'));
  const store = new Feira({ baseUrl: server.url, token: 'token' });
  async function callOfTheApplication() {
    await store.products.get('p1');
  }
  const error = (await callOfTheApplication().catch((reason) => reason)) as FeiraError;
  const [first, ...frames] = error.stack!.split('\n');
  expect(first).toBe('FeiraError: a sentence about not_found');
  expect(frames.slice(0, 2).join('\n')).toContain('callOfTheApplication');
  expect(frames.join('\n')).toContain('errors.test.ts');
});

test.each([
  ['a list', async (store: Feira) => void (await store.products.list())],
  [
    'an iteration',
    async (store: Feira) => {
      for await (const _ of store.orders.list());
    },
  ],
  ['a batch', async (store: Feira) => void (await store.stock.set([{ sku: 'A', quantity: 1 }]))],
  [
    'a snapshot',
    async (store: Feira) => {
      for await (const _ of store.products.snapshot());
    },
  ],
  ['an upload', async (store: Feira) => void (await store.images.upload('p1', new Uint8Array(20)))],
])('the stack shows the caller of %s', async (_name, call) => {
  await using server = await ScriptedServer.open(refuse(404, 'not_found'));
  const error = (await call(new Feira({ baseUrl: server.url, token: 'token' })).catch(
    (e) => e,
  )) as FeiraError;
  expect(error).toBeInstanceOf(FeiraError);
  expect(error.stack).toContain('errors.test.ts');
});
