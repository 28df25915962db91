import { BlockList, isIP } from 'node:net';

// Address ranges that are reserved for uses other than public hosts (IANA's special-purpose registries, and multicast).
// In IPv6 only the global unicast range 2000::/3 is public, so only the exceptions within it are listed.
const SPECIAL_V4: [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Azure's platform service. The address is public, but inside Azure it leads to the host of the virtual machine.
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];
const SPECIAL_V6: [string, number][] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
];

const special = new BlockList();
for (const [network, prefix] of SPECIAL_V4) special.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of SPECIAL_V6) special.addSubnet(network, prefix, 'ipv6');
const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');

// Ports above 1023 that the Fetch standard blocks, because a server of another protocol could read a POST as commands.
const OTHER_PROTOCOLS = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
  10080,
]);

/** Returns whether a receiver may use this port: 80, 443, or any port above 1023 that the Fetch standard allows. */
export function isPublicPort(port: number): boolean {
  return port === 80 || port === 443 || (port >= 1024 && !OTHER_PROTOCOLS.has(port));
}

/** Returns whether a request with a user-supplied target may connect to this address. */
export function isPublicAddress(address: string): boolean {
  // An IPv6 address with a zone, such as fe80::1%eth0, refers to one of our own networks.
  if (address.includes('%')) return false;
  if (isIP(address) === 4) return !special.check(address, 'ipv4');
  if (isIP(address) === 6) return globalUnicast.check(address, 'ipv6') && !special.check(address, 'ipv6');
  return false;
}
