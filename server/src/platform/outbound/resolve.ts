import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';

export type Resolve = (host: string) => Promise<string[]>;

export class NameNotFound extends Error {}

const RESOLVE_MS = 2_000;

/**
 * Returns all addresses of a host name. It queries DNS directly instead of calling getaddrinfo, which shares a pool of
 * four threads with file access and hashing: four names that never resolve would block both. The hosts file is not
 * read; localhost is handled here.
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
