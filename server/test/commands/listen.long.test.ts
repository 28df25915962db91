import { expect, test } from 'vitest';
import { newProduct } from '../support/catalog.js';
import { Listening } from '../support/listening.js';
import { feiraCommand, until } from '../support/process.js';

const listening = new Listening();

test('started again after Ctrl-C, listen continues with the same secret and repeats only what --replay asks for', async () => {
  await newProduct(listening.store);
  const first = await listening.listen();
  await newProduct(listening.store);
  await until(() => listening.receiver.received.length === 1);
  await until(() => first.output().includes('product.created'));
  expect(await first.stop('SIGINT')).toBe(0);
  await newProduct(listening.store);
  const second = await listening.listen();
  expect(second.secret).toBe(first.secret);
  await until(() => listening.receiver.received.length === 2);
  await until(() => second.output().includes('product.created'));
  expect(await second.stop('SIGTERM')).toBe(0);
  const ids = (await listening.feed()).map(({ id }) => id);
  expect(listening.receivedIds()).toEqual(ids.slice(1));
  await listening.listen('--replay', '1h');
  await until(() => listening.receiver.received.length === 5);
  expect(listening.receivedIds().slice(2)).toEqual(ids);
});

test('if listen is killed under load and started again, every event is sent, and only the one in flight may be sent twice', async () => {
  await newProduct(listening.store, { quantity: 100_000 });
  const first = await listening.listen('--replay', '1h');
  const shop = feiraCommand(
    ['simulate', '--store', listening.store.workspaceId, '--rate', '10/s', '--for', '6s'],
    listening.env,
  );
  await until(() => listening.receiver.received.length > 10);
  await first.stop('SIGKILL');
  const atKill = listening.receiver.received.length;
  await until(async () => (await listening.feed()).length > atKill + 10);
  await listening.listen('--replay', '1h');
  expect((await shop).code).toBe(0);
  const ids = (await listening.feed()).map(({ id }) => id);
  await until(() => new Set(listening.receivedIds()).size === ids.length);
  const received = listening.receivedIds();
  const inFlight = received[atKill - 1];
  const withoutRepeat = received.filter((id, index) => index !== atKill || id !== inFlight);
  expect(withoutRepeat).toEqual(ids);
});
