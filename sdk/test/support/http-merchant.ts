import type { FastifyInstance, InjectOptions } from 'fastify';
import { Merchant } from '../../../server/test/support/merchant.js';

/** The merchant's browser, connected to a server in another process. */
export function merchantAt(baseUrl: string): Merchant {
  const inject = async ({ method = 'GET', url, headers, payload }: InjectOptions) => {
    const response = await fetch(new URL(String(url), baseUrl), {
      method,
      headers: headers as Record<string, string>,
      redirect: 'manual',
      ...(payload !== undefined && { body: String(payload) }),
    });
    return {
      statusCode: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
      cookies: response.headers.getSetCookie().map((line) => {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        const maxAge = /max-age=(\d+)/i.exec(line)?.[1];
        return { name, value, ...(maxAge !== undefined && { maxAge: Number(maxAge) }) };
      }),
    };
  };
  return new Merchant({ inject } as unknown as FastifyInstance);
}
