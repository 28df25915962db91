import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';

export type Resolve = (host: string) => Promise<string[]>;

export class NameNotFound extends Error {}

const RESOLVE_MS = 2_000;

/**
 * Every address of a name. Asked over the network without the thread pool that getaddrinfo shares with files and
 * hashing: four names that never answer would hold up all of those. The hosts file is not read; localhost is known.
 */
export const resolveName: Resolve = async (host) => {
  const bare = host.replace(/^\[|\]$/g, '');
  if (isIP(bare) !== 0) return [bare];
  if (/^(.+\.)?localhost\.?$/i.test(host)) return ['127.0.0.1', '::1'];
  const resolver = new Resolver({ timeout: RESOLVE_MS, tries: 1 });
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (addresses.length === 0) throw new NameNotFound(`${host} has no address`);
  return addresses;
};
