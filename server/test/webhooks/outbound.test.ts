import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Outbound } from '../../src/platform/outbound/post.js';
import type { Resolve } from '../../src/platform/outbound/resolve.js';
import {
  edgesOf,
  formatV6,
  INTERNAL_V4,
  INTERNAL_V6,
  parseV4,
  spellingsOf,
} from '../support/internal-addresses.js';
import { Receiver } from '../support/receiver.js';
import { sized } from '../support/sized.js';

let listeners: Server[];
let port: number;
let connections = 0;
const PUBLIC = '203.0.114.1';

beforeAll(async () => {
  const first = createServer().listen(0, '0.0.0.0');
  await once(first, 'listening');
  port = (first.address() as AddressInfo).port;
  const second = createServer().listen({ port, host: '::1', ipv6Only: true });
  await once(second, 'listening');
  listeners = [first, second];
  for (const listener of listeners) {
    listener.on('connection', (socket) => {
      connections++;
      socket.destroy();
    });
  }
});
afterAll(() => {
  for (const listener of listeners) listener.close();
});
beforeEach(() => {
  connections = 0;
});

async function post(
  url: string,
  options: { allowPrivate?: boolean; resolve?: Resolve; timeoutMs?: number } = {},
) {
  const outbound = new Outbound({ allowPrivate: false, timeoutMs: 10_000, ...options });
  try {
    return await outbound.post(url, {}, '{}');
  } finally {
    await outbound.close();
  }
}

/** The first and last address of every internal range and some other internal hosts, in different spellings. */
const internalHosts = [
  ...INTERNAL_V4.flatMap((range) => edgesOf(range).flatMap(spellingsOf)),
  ...spellingsOf(parseV4('127.0.0.1')),
  ...spellingsOf(parseV4('169.254.169.254')),
  ...INTERNAL_V6.flatMap((range) => edgesOf(range).map((edge) => `[${formatV6(edge)}]`)),
  ...[
    '127.1',
    '127.0.1',
    '0',
    '00',
    '0x0',
    '0x7f.1',
    '0177.1',
    '[::1]',
    '[::]',
    '[0:0:0:0:0:0:0:1]',
    '[::1%25lo]',
  ],
  ...['localhost', 'LOCALHOST', 'LocalHost.', 'a.localhost', 'a.b.localhost.', 'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ', 'localhos%74'],
];

describe('an internal address', () => {
  test('is never connected to, however it is written', async () => {
    const hosts = [...new Set(internalHosts)];
    expect(hosts.length).toBeGreaterThan(900);
    const outbound = new Outbound({ allowPrivate: false, timeoutMs: 10_000 });
    const passed: string[] = [];
    let sent = 0;
    for (const [index, host] of hosts.entries()) {
      // With `npm run test:long`, each address is tested with both schemes.
      const schemes = ['http', 'https', 'http'].slice(index % 2).slice(0, sized(1, 2));
      for (const scheme of schemes) {
        const url = `${scheme}://${host}:${port}/`;
        // A URL that cannot be parsed is rejected when the subscription is created.
        if (!URL.canParse(url)) continue;
        sent++;
        const { error } = await outbound.post(url, {}, '{}');
        if (error !== 'blocked_address' || !(await outbound.isForbidden(new URL(url)))) passed.push(url);
      }
    }
    await outbound.close();
    expect(passed).toEqual([]);
    expect(sent).toBeGreaterThan(sized(900, 1_800));
    expect(connections).toBe(0);
  });

  test.each([
    (inside: string) => `http://${PUBLIC}@${inside}/`,
    (inside: string) => `http://${PUBLIC}:80@${inside}/`,
    (inside: string) => `http://${inside}\\@${PUBLIC}/`,
    (inside: string) => `http://${inside}/@${PUBLIC}`,
    (inside: string) => `http:${inside}/`,
    (inside: string) => `http:\\\\${inside}/`,
    (inside: string) => `http:////${inside}/`,
    (inside: string) => `\thttp://${inside}\n/`,
    (inside: string) => `http://${inside.replace('0.0', '0.\t0')}/`,
    (inside: string) => `http://${inside.replace('1:', '1\u00ad:')}/`,
  ])('is not reached by a parsing trick (%#)', async (trick) => {
    const url = trick(`127.0.0.1:${port}`);
    if (URL.canParse(url)) expect((await post(url)).error).toBe('blocked_address');
    expect(connections).toBe(0);
  });

  test.each([301, 302, 303, 307, 308])('is not reached by a redirect with status %i', async (status) => {
    const outside = await Receiver.open();
    outside.answer = (_, response) =>
      void response
        .writeHead(status, { location: `http://127.0.0.1:${port}/`, refresh: `0; url=http://[::1]:${port}/` })
        .end();
    const answer = await post(outside.url, { allowPrivate: true });
    expect(answer).toMatchObject({ statusCode: status, error: null });
    expect(connections).toBe(0);
    await outside.close();
  });

  test('is reached if private targets are allowed, which shows that the tests above can fail', async () => {
    expect((await post(`http://127.0.0.1:${port}/`, { allowPrivate: true })).error).toBe('connection_reset');
    expect((await post(`http://[::1]:${port}/`, { allowPrivate: true })).error).toBe('connection_reset');
    expect((await post(`http://localhost:${port}/`, { allowPrivate: true })).error).toBe('connection_reset');
    expect(connections).toBe(3);
  });
});

describe('a host name', () => {
  test.each([
    ['127.0.0.1'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['10.1.2.3'],
    ['fd00::1'],
    [PUBLIC, '127.0.0.1'],
    ['127.0.0.1', PUBLIC],
    [PUBLIC, '2606:4700::1', '::1'],
    ['not an address'],
  ])('is rejected if any address that it resolves to is internal or invalid (%#)', async (...addresses) => {
    const resolve: Resolve = async () => addresses.filter((address) => address !== undefined);
    const outbound = new Outbound({ allowPrivate: false, timeoutMs: 10_000, resolve });
    expect(await outbound.isForbidden(new URL('http://rebound.example/'))).toBe(true);
    expect((await outbound.post(`http://rebound.example:${port}/`, {}, '{}')).error).toBe('blocked_address');
    expect(connections).toBe(0);
    await outbound.close();
  });

  test('that resolves to a public address first and to an internal one later is resolved again for each connection', async () => {
    let asked = 0;
    const resolve: Resolve = async () => (asked++ === 0 ? [PUBLIC] : ['127.0.0.1']);
    const outbound = new Outbound({ allowPrivate: false, timeoutMs: 300, resolve });
    expect(await outbound.isForbidden(new URL('http://rebound.example/'))).toBe(false);
    expect((await outbound.post(`http://rebound.example:${port}/`, {}, '{}')).error).toBe('blocked_address');
    expect(asked).toBe(2);

    asked = 0;
    const first = await outbound.post(`http://rebound.example:${port}/`, {}, '{}');
    expect(first.error).not.toBe('blocked_address');
    expect(asked).toBe(1);
    for (let i = 0; i < 5; i++)
      expect((await outbound.post(`http://rebound.example:${port}/`, {}, '{}')).error).toBe(
        'blocked_address',
      );
    expect(connections).toBe(0);
    await outbound.close();
  });

  test('that cannot be resolved makes the attempt fail, but the subscription is not rejected', async () => {
    const resolve: Resolve = () => Promise.reject(new Error('SERVFAIL'));
    expect(
      await new Outbound({ allowPrivate: false, timeoutMs: 10_000, resolve }).isForbidden(
        new URL('http://x.example/'),
      ),
    ).toBe(false);
    expect((await post('http://x.example/', { resolve })).statusCode).toBeNull();
  });

  test('that never resolves causes a timeout', async () => {
    const answer = await post('http://x.example/', { resolve: () => new Promise(() => {}), timeoutMs: 300 });
    expect(answer.error).toBe('timeout');
  });
});
