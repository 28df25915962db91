import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Feira, openFeira, type StoreClient } from '../../support/feira.js';
import { until } from '../../support/process.js';

let feira: Feira;
let store: StoreClient;

beforeEach(async () => {
  feira = await openFeira();
  store = await feira.store();
});
afterEach(async () => {
  vi.useRealTimers();
  await feira.close();
});

async function listen(): Promise<void> {
  await feira.app.listen({ port: 0, host: '127.0.0.1' });
}

/** Opens a connection and sends these bytes. `received()` returns what has been received so far. */
async function client(
  sent: string,
): Promise<{ socket: Socket; ended: Promise<unknown>; received(): string }> {
  const accepted = once(feira.app.server, 'connection');
  const socket = connect((feira.app.server.address() as AddressInfo).port, '127.0.0.1');
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  // A connection may also end with a reset, which emits an error. `once(socket, 'close')` would then reject.
  socket.on('error', () => {});
  const ended = new Promise((resolve) => socket.once('close', resolve));
  await accepted;
  socket.write(sent);
  return { socket, ended, received: () => received };
}

/** Returns a request whose Content-Length is larger than its body. */
function stalled(): string {
  return `POST /api/v1/products HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${store.token}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"name"`;
}

const underWay = () => once(feira.app.server, 'request');

test('a draining process answers requests, closes each connection after the response, and fails its health check', async () => {
  await listen();
  const early = await client('');
  feira.app.drain();
  early.socket.write(
    `GET /api/v1/products HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${store.token}\r\n\r\n`,
  );
  const check = await client('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  await Promise.all([early.ended, check.ended]);
  expect(early.received()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(early.received()).toMatch(/\r\nconnection: close\r\n/i);
  expect(check.received()).toMatch(/^HTTP\/1\.1 503 .*\{"status":"stopping"\}$/s);
});

describe('a shutdown', () => {
  test('closes connections that have no pending request, without waiting for the grace period', async () => {
    await listen();
    const answered = await client('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /heal');
    await until(() => answered.received().includes('200 OK'));
    const quiet = [answered, await client(''), await client('GET /healthz HTTP/1.1\r\nHos')];
    // With a frozen clock, the grace period of five seconds never ends, so it cannot be what closes the connections.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await feira.app.close();
    for (const { ended } of quiet) await ended;
  });

  test('cuts off a request that its client does not finish within five seconds', async () => {
    await listen();
    const begun = underWay();
    const { ended, socket } = await client(stalled());
    await begun;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const stopped = feira.app.close();
    await vi.advanceTimersByTimeAsync(4_900);
    expect(socket.destroyed).toBe(false);
    await vi.advanceTimersByTimeAsync(200);
    await Promise.all([ended, stopped]);
  });

  test('waits until a pending request and a request pipelined after it are answered', async () => {
    await listen();
    const begun = underWay();
    const { ended, received, socket } = await client(stalled());
    await begun;
    const stopped = feira.app.close();
    socket.write(`:"Late","price":1${' '.repeat(75)}}GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n`);
    await Promise.all([ended, stopped]);
    expect(received()).toContain('HTTP/1.1 201 Created');
    expect(received()).toContain('HTTP/1.1 503 Service Unavailable');
    expect(received()).toContain('{"status":"stopping"');
  });
});

test('a request whose body does not arrive in time is rejected with 408', async () => {
  Object.assign(feira.app.server, {
    headersTimeout: 100,
    requestTimeout: 100,
    connectionsCheckingInterval: 20,
  });
  await listen();
  const { ended, received } = await client(stalled());
  await ended;
  expect(received()).toContain('HTTP/1.1 408 Request Timeout');
});
