import { request } from 'node:http';

export interface RawAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/**
 * Sends a request. Unlike fetch, it does not compute the Content-Length of a body. Without that header, the body is
 * sent in chunks.
 */
export function rawRequest(
  method: string,
  url: string,
  headers: Record<string, string>,
  body: Uint8Array | Uint8Array[] = [],
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part) => parts.push(part));
      answer.on('error', reject);
      answer.on('end', () =>
        resolve({
          status: answer.statusCode as number,
          headers: answer.headers,
          body: Buffer.concat(parts).toString(),
        }),
      );
    });
    sent.on('error', reject);
    for (const part of Array.isArray(body) ? body : [body]) sent.write(part);
    sent.end();
  });
}

/** Sends the bytes to an upload URL with the two headers that an upload requires. */
export function rawPut(url: string, contentType: string, bytes: Uint8Array): Promise<RawAnswer> {
  return rawRequest(
    'PUT',
    url,
    { 'Content-Type': contentType, 'Content-Length': String(bytes.length) },
    bytes,
  );
}
