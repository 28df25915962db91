import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { cutOffSlowReader } from '../../../src/platform/http/slow-readers.js';

let server: Server;
let left = 0;

/** The server streams `left` chunks of 64 kB. */
beforeAll(async () => {
  server = createServer((_request, response) => {
    cutOffSlowReader(response, { everyMs: 100, minBytes: 1 });
    Readable.from(
      (function* () {
        for (; left > 0; left--) yield Buffer.alloc(65_536);
      })(),
    ).pipe(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => server.close());

function ask() {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  socket.on('error', () => {});
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  return socket;
}

test('a client that does not read is cut off', async () => {
  left = 100_000;
  const [response] = await Promise.all([once(server, 'request').then(([, each]) => each), ask()]);
  await once(response, 'close');
  expect(response.writableFinished).toBe(false);
  left = 0;
});

test('a client that reads gets everything', async () => {
  // Between two checks, the client reads more than the buffers of both sockets hold. So the server has sent something
  // since the previous check, however busy the machine is.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  left = 1_600;
  const socket = ask();
  let bytes = 0;
  let checks = 0;
  socket.on('data', (chunk) => {
    bytes += chunk.length;
    if (bytes < (checks + 1) * 16_000_000) return;
    checks++;
    vi.advanceTimersByTime(100);
  });
  socket.resume();
  await once(socket, 'close');
  vi.useRealTimers();
  expect(bytes).toBeGreaterThan(1_600 * 65_536);
  expect(checks).toBe(6);
});
