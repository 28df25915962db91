import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder with style sheets, scripts and images that pages load. */
export const PUBLIC_FOLDER = fileURLToPath(new URL('../../../public/', import.meta.url));
const PREFIX = '/assets/';

const versions = new Map<string, string>();

/** The address of a file. It contains a hash of the file, so browsers may cache the file forever. */
export function assetUrl(name: string): string {
  return `${PREFIX}${name}?v=${versionOf(name)}`;
}

/** Returns whether assetUrl() has returned this address. */
export function isVersioned(url: string): boolean {
  const [path = '', query = ''] = url.split('?', 2) as [string, string?];
  const name = path.slice(PREFIX.length);
  return query.startsWith('v=') && versions.get(name) === query.slice(2);
}

function versionOf(name: string): string {
  let version = versions.get(name);
  if (version === undefined) {
    version = hash('sha256', readFileSync(`${PUBLIC_FOLDER}${name}`), 'base64url').slice(0, 12);
    versions.set(name, version);
  }
  return version;
}
