import { describe, expect, test } from 'vitest';
import { isPublicAddress } from '../../../src/platform/outbound/addresses.js';
import { Outbound } from '../../../src/platform/outbound/post.js';
import type { Resolve } from '../../../src/platform/outbound/resolve.js';
import { edgesOf, formatV4, formatV6, INTERNAL_V4 } from '../../support/internal-addresses.js';
import { Random } from '../../support/random.js';

const PUBLIC = '203.0.114.1';

describe('a port', () => {
  const resolve: Resolve = async () => [PUBLIC];

  test.each([21, 22, 25, 53, 110, 143, 445, 993, 2049, 5060, 6000, 6667])(
    'of a protocol other than HTTP (%i) is rejected on a public host',
    async (refused) => {
      const outbound = new Outbound({ allowPrivate: false, timeoutMs: 300, resolve });
      const url = `http://receiver.example:${refused}/`;
      expect(await outbound.isForbidden(new URL(url))).toBe(true);
      expect((await outbound.post(url, {}, '{}')).error).toBe('blocked_address');
      await outbound.close();
    },
  );

  test.each(['http://x.example/', 'https://x.example/', 'https://x.example:8443/', 'http://x.example:3000/'])(
    'that web servers use is permitted: %s',
    async (url) => {
      const outbound = new Outbound({ allowPrivate: false, timeoutMs: 300, resolve });
      expect(await outbound.isForbidden(new URL(url))).toBe(false);
      await outbound.close();
    },
  );
});

describe('the check of addresses', () => {
  const rangesV4 = INTERNAL_V4.map(edgesOf);
  const isInsideV4 = (value: bigint) => rangesV4.some(([first, last]) => value >= first && value <= last);

  test('allows the addresses next to every reserved IPv4 range, unless they are reserved, too', () => {
    const neighbors = rangesV4.flatMap(([first, last]) => [first - 1n, last + 1n]);
    const open = neighbors.filter((value) => value >= 0n && value < 1n << 32n && !isInsideV4(value));
    expect(open.length).toBeGreaterThan(25);
    expect(open.map(formatV4).filter((address) => !isPublicAddress(address))).toEqual([]);
  });

  test('agrees with the list of reserved ranges on 20,000 random IPv4 addresses', () => {
    const random = new Random(4);
    for (let i = 0; i < 20_000; i++) {
      const value = BigInt(random.below(2 ** 32));
      expect(isPublicAddress(formatV4(value)), formatV4(value)).toBe(!isInsideV4(value));
    }
  });

  test('allows global IPv6 addresses up to the edges of the reserved ranges', () => {
    const around = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'].map(edgesOf);
    const open = [
      ...around.flatMap(([first, last]) => [first - 1n, last + 1n]),
      ...['2606:4700::1111', '2a00:1450::1', '2400:cb00::1', '2804:14c::1'].map(
        (address) => edgesOf(`${address}/128`)[0],
      ),
    ].filter((value) => value >> 125n === 1n);
    expect(open.map(formatV6).filter((address) => !isPublicAddress(address))).toEqual([]);
    expect(open.length).toBeGreaterThan(11);
  });

  test('rejects text that is not an address, and addresses with a zone', () => {
    for (const text of [
      '',
      'localhost',
      '127.1',
      '0x7f000001',
      '8.8.8.8 ',
      '8.8.8.8/32',
      '[2606:4700::1]',
      'fe80::1%lo',
      '2606:4700::1%lo',
    ])
      expect(isPublicAddress(text), text).toBe(false);
  });
});
