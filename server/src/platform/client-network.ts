import { isIP } from 'node:net';

/**
 * What limits per client count: an IPv4 address as it is, an IPv6 address by its /64, because a single subscriber is
 * given at least that many addresses.
 */
export function networkOf(address: string): string {
  const bare = address.split('%')[0] as string;
  if (isIP(bare) !== 6) return bare;
  const groups = groupsOf(bare);
  // ::ffff:a.b.c.d is an IPv4 client on a socket that listens for both.
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff)
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 0xff])
      .join('.');
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

function groupsOf(address: string): number[] {
  // The URL parser writes a dotted IPv4 tail in hexadecimal.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = [], tail = []] = canonical.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16));
}
