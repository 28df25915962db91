import { isIPv6 } from 'node:net';

/**
 * Returns the network to which limits apply: an IPv4 address, or the /64 network of an IPv6 address. Providers assign
 * at least a /64 to a customer, so a limit per IPv6 address would have no effect.
 */
export function networkOf(address: string): string {
  const [plain = ''] = address.split('%');
  if (!isIPv6(plain)) return plain;
  const groups = groupsOf(plain);
  const isMappedIPv4 = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMappedIPv4)
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
  // The URL parser writes an IPv4 tail as two groups and shortens the longest run of zeros to "::".
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const numbers = (text: string) =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  if (tail === undefined) return numbers(head);
  const [before, after] = [numbers(head), numbers(tail)];
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}
