/**
 * Ranges to which no webhook may be sent: those of IANA's special-purpose registries, multicast, deprecated IPv6
 * ranges, and an internal address of Azure. The lists are independent of the tested code.
 */
export const INTERNAL_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
export const INTERNAL_V6 = [
  '::/128',
  '::1/128',
  '::/96',
  '::ffff:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '100:0:0:1::/64',
  '2001::/23',
  '2001::/32',
  '2001:2::/48',
  '2001:20::/28',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
];

/** Returns the first and the last address of a range. */
export function edgesOf(range: string): [bigint, bigint] {
  const [network, prefix] = range.split('/') as [string, string];
  const bits = network.includes(':') ? 128 : 32;
  const size = 1n << BigInt(bits - Number(prefix));
  const first = network.includes(':') ? parseV6(network) : parseV4(network);
  return [first, first + size - 1n];
}

export function parseV4(text: string): bigint {
  return text.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
}

export function formatV4(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.');
}

function parseV6(text: string): bigint {
  const [head = '', tail] = text.split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups = [...front, ...Array(8 - front.length - back.length).fill('0'), ...back];
  return groups.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
}

export function formatV6(value: bigint): string {
  return Array.from({ length: 8 }, (_, i) => ((value >> BigInt(112 - 16 * i)) & 0xffffn).toString(16)).join(
    ':',
  );
}

/** Returns spellings of an IPv4 address that have been used to bypass checks, each as the host of a URL. */
export function spellingsOf(address: bigint): string[] {
  const [a, b, c, d] = formatV4(address).split('.').map(Number) as [number, number, number, number];
  const octal = (n: number) => `0${n.toString(8)}`;
  const hex = (n: number | bigint) => `0x${n.toString(16)}`;
  const groups = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  const inverted = `${(~((a << 8) | b) & 0xffff).toString(16)}:${(~((c << 8) | d) & 0xffff).toString(16)}`;
  const dotted = `${a}.${b}.${c}.${d}`;
  return [
    dotted,
    `${dotted}.`,
    String(address),
    hex(address),
    hex(address).toUpperCase().replace('X', 'x'),
    `0${address.toString(8)}`,
    `${a}.${address & 0xffffffn}`,
    `${a}.${b}.${address & 0xffffn}`,
    `${octal(a)}.${octal(b)}.${octal(c)}.${octal(d)}`,
    `${hex(a)}.${hex(b)}.${hex(c)}.${hex(d)}`,
    `${hex(a)}.${octal(b)}.${c}.${d}`,
    `000${octal(a)}.${b}.${c}.${d}`,
    dotted.replaceAll('.', '。'),
    dotted.replaceAll('.', '｡'),
    dotted.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit))),
    dotted.replace(/\d/g, (digit) => `%3${digit}`),
    `[::ffff:${dotted}]`,
    `[::ffff:${groups}]`,
    `[0:0:0:0:0:FFFF:${groups.toUpperCase()}]`,
    `[::${dotted}]`,
    `[::ffff:0:${groups}]`,
    `[64:ff9b::${dotted}]`,
    `[64:FF9B::${groups}]`,
    `[64:ff9b:1::${groups}]`,
    `[2002:${groups}::]`,
    `[2002:${groups}::1]`,
    `[2001:0:4136:e378:8000:63bf:${inverted}]`,
    `[fe80::5efe:${groups}]`,
  ];
}
