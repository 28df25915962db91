import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LocalStorage } from '../../src/media/local-storage.js';
import { newId } from '../../src/platform/schema/ids.js';
import { type Feira, openFeira } from '../support/feira.js';
import { until } from '../support/process.js';
import { describeStorage, type StorageUnderTest } from '../support/storage-suite.js';

let feira: Feira;
let under: StorageUnderTest;
let address: string;
const lines: string[] = [];

beforeAll(async () => {
  feira = await openFeira({ logTo: { write: (line: string) => void lines.push(line) } });
  address = await feira.app.listen({ host: '127.0.0.1', port: 0 });
  const storage = feira.context.storage as LocalStorage;
  const folder = join(storage.published, '..');
  under = {
    storage,
    reach: (url) => url.replace('http://feira.test', address),
    async expired(upload) {
      const url = await storage.signPut(upload);
      feira.clock.forward(301_000);
      return url;
    },
    names: async () =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .sort(),
  };
});
afterAll(() => feira.close());

describeStorage('local storage', () => under);

test.each([
  ['a wrong length', 'Content-Length: 10485760'],
  ['no length', 'Transfer-Encoding: chunked'],
])(
  'the reason for rejecting an unsigned upload of ten megabytes with %s reaches a client that sends everything before reading',
  async (_what, header) => {
    const { hostname, port } = new URL(address);
    const chunked = header.startsWith('Transfer');
    const bytes = Buffer.alloc(10_000_000);
    for (let time = 0; time < 5; time++) {
      const socket = connect(Number(port), hostname);
      socket.pause();
      socket.write(`PUT /uploads/x.png HTTP/1.1\r\nHost: x\r\nContent-Type: image/png\r\n${header}\r\n\r\n`);
      if (chunked) socket.write(`${bytes.length.toString(16)}\r\n`);
      const sent = new Promise<void>((resolve, reject) => {
        socket.once('error', reject);
        socket.write(bytes, () => resolve());
      });
      await sent;
      const [answer] = await once(socket.resume(), 'data');
      expect(String(answer)).toMatch(/^HTTP\/1.1 403 .*SignatureDoesNotMatch/s);
      socket.destroy();
    }
  },
);

test('an endless body is cut off', async () => {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  socket.write('PUT /uploads/x.png HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
  let sent = 0;
  const send = () => {
    sent += 65_536;
    socket.write('10000\r\n');
    socket.write(Buffer.alloc(65_536));
    socket.write('\r\n', (error) => error ?? send());
  };
  socket.on('error', () => {});
  send();
  socket.resume();
  await new Promise((resolve) => socket.once('close', resolve));
  expect(sent).toBeLessThan(60_000_000);
});

test('an interrupted upload is not logged as a failure of the server', async () => {
  const key = `product_images/${newId()}/${'k'.repeat(22)}.png`;
  const signed = await under.storage.signPut({ key, contentType: 'image/png', contentLength: 9 });
  const { hostname, port, pathname, search } = new URL(under.reach(signed));
  const socket = connect(Number(port), hostname);
  socket.write(
    `PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\nContent-Type: image/png\r\nContent-Length: 9\r\n\r\nabc`,
  );
  await until(async () => (await under.names()).some((name) => name.endsWith('.part')));
  socket.destroy();
  await until(async () => !(await under.names()).some((name) => name.includes(key)));
  expect((await fetch(`${address}/healthz`)).status).toBe(200);
  expect(lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});
