import { isBareHttpUrl } from './http/public-address.js';

export interface S3Config {
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/**
 * Requires all variables or none, except for S3_REGION, which has a default. With only some of them set, it would be
 * unclear where files are stored.
 */
export function readS3(read: (name: string) => string | undefined, faults: string[]): S3Config | undefined {
  const needed = ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'];
  const missing = needed.filter((name) => read(name) === undefined);
  if (missing.length === needed.length) return undefined;
  for (const name of missing) faults.push(`${name} is missing: object storage needs ${needed.join(', ')}`);
  const endpoint = read('S3_ENDPOINT') ?? '';
  if (endpoint !== '' && !isBareHttpUrl(endpoint))
    faults.push(
      `S3_ENDPOINT must be an http(s) address without user name, password, query or fragment, not "${endpoint}"`,
    );
  return {
    endpoint,
    bucket: read('S3_BUCKET') ?? '',
    region: read('S3_REGION') ?? 'us-east-1',
    accessKeyId: read('S3_ACCESS_KEY_ID') ?? '',
    secretAccessKey: read('S3_SECRET_ACCESS_KEY') ?? '',
  };
}
