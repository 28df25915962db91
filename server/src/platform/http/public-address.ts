import { readFlag } from '../config-values.js';

type Read = (name: string) => string | undefined;

/**
 * The address that partners and buyers use. It has a default only for a server that listens on loopback and uses the
 * embedded database, and it must use https unless it is a loopback address.
 */
export function readPublicUrl(
  read: Read,
  { host, port, databaseUrl }: { host: string; port: number; databaseUrl: string | undefined },
  faults: string[],
): string {
  const given = read('PUBLIC_URL');
  const example = `the https address that partners and buyers use, or http://localhost:${port} for development`;
  if (given === undefined && !isLoopbackHost(host))
    faults.push(`PUBLIC_URL is required when HOST is not loopback: set it to ${example}`);
  else if (given === undefined && databaseUrl !== undefined)
    faults.push(`PUBLIC_URL is required together with DATABASE_URL: set it to ${example}`);
  const publicUrl = given ?? `http://localhost:${port}`;
  if (!isBareHttpUrl(publicUrl))
    faults.push(
      `PUBLIC_URL must be an http(s) address without user name, password, query or fragment, not "${publicUrl}"`,
    );
  else if (new URL(publicUrl).protocol === 'http:' && !isLoopbackUrl(publicUrl))
    faults.push(
      `PUBLIC_URL must begin with https://, not "${publicUrl}": http would send tokens and passwords in the clear and is accepted for loopback only`,
    );
  return publicUrl.replace(/\/+$/, '');
}

export type GatewayName = 'sandbox' | 'none';

/**
 * The sandbox marks orders as paid although no money was received, so a server with a public address may use it only if
 * SANDBOX_ON_PUBLIC_URL is true.
 */
export function readGateway(read: Read, publicUrl: string, faults: string[]): GatewayName {
  const isTestShop = readFlag(read, 'SANDBOX_ON_PUBLIC_URL', faults) ?? false;
  const isPermitted = isLoopbackUrl(publicUrl) || isTestShop;
  const gateway = read('PAYMENT_GATEWAY') ?? (isPermitted ? 'sandbox' : 'none');
  if (gateway !== 'sandbox' && gateway !== 'none') {
    faults.push(`PAYMENT_GATEWAY must be sandbox or none, not "${gateway}"`);
    return 'none';
  }
  if (gateway === 'sandbox' && !isPermitted)
    faults.push(
      'PAYMENT_GATEWAY=sandbox only simulates payments. Because PUBLIC_URL is not loopback, set PAYMENT_GATEWAY=none, or SANDBOX_ON_PUBLIC_URL=true if this is a test shop',
    );
  return gateway;
}

export function isLoopbackUrl(url: string): boolean {
  return URL.canParse(url) && isLoopbackHost(new URL(url).hostname.replace(/^\[|\]$/g, ''));
}

export function isLoopbackHost(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|::1)$/.test(host);
}

export function isBareHttpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return /^https?:$/.test(url.protocol) && !/[?#]/.test(text) && url.username === '' && url.password === '';
}
