import type { ConditionalOptions, FeiraOptions } from './options.js';
import { type Query, urlOf } from './query.js';

export interface CallSpec {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** The path, relative to /api/v1. */
  path: string;
  query?: Query | undefined;
  body?: unknown;
  accept?: string;
  /** Set for requests for upload URLs, which also count against a second, smaller budget. */
  isUpload?: boolean;
}

export interface SentRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  body?: string;
}

/** Builds the request that all attempts of a call share. The access token is added for each attempt. */
export function requestOf(
  { method, path, query, body, accept }: CallSpec,
  options: ConditionalOptions,
  client: FeiraOptions,
): SentRequest {
  const isWrite = method !== 'GET';
  const { userAgent, baseUrl } = client;
  return {
    url: urlOf(baseUrl, path, { ...query, ...(options.dryRun && { dryRun: true }) }),
    method,
    headers: {
      accept: accept ?? 'application/json',
      ...(userAgent && { 'user-agent': userAgent }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(isWrite && { 'idempotency-key': options.idempotencyKey ?? crypto.randomUUID() }),
      ...(options.ifMatch && { 'if-match': options.ifMatch }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
}
