import type { Api } from './api.js';
import { sendJson } from './call.js';
import { anyOf, stopped } from './ending.js';
import { type CallSite, callSite, FeiraError, placeAt } from './errors.js';
import type { CallOptions } from './options.js';
import { path } from './query.js';
import { backoffMs, shouldRetry } from './retry.js';
import type { StartedOptions } from './transport.js';
import type { Image, SignedUpload } from './types.js';

export interface UploadOptions extends CallOptions {
  /** The position of the image; 0 is the cover. Default: after the last image. */
  order?: number | undefined;
}

/** The three steps of an upload: request an upload URL, send the bytes there, attach the file. */
export async function uploadImage(
  api: Api,
  productId: string,
  image: Uint8Array | ArrayBuffer | Blob,
  { order, ...given }: UploadOptions = {},
): Promise<Image> {
  const site = callSite(uploadImage);
  const options = api.transport.start(given);
  const bytes = await bytesOf(image);
  const contentType = imageType(bytes);
  if (!contentType)
    throw placeAt(
      new FeiraError('The bytes are not a JPEG, PNG, WebP or GIF image', { code: 'invalid_argument' }),
      site,
    );
  const body = { productId, contentType, contentLength: bytes.length };
  const { data: upload } = await sendJson<SignedUpload>(
    api.transport,
    { method: 'POST', path: '/uploads', body, isUpload: true },
    options,
    site,
  );
  await put(api, upload, bytes, contentType, options, site);
  const { data } = await sendJson<Image>(
    api.transport,
    { method: 'POST', path: path`/products/${productId}/images`, body: { key: upload.key, order } },
    options,
    site,
  );
  return data;
}

/** Sends the file. The URL accepts the same bytes again, so every connection failure can be retried. */
async function put(
  { transport }: Api,
  { uploadUrl }: SignedUpload,
  bytes: Uint8Array<ArrayBuffer>,
  contentType: string,
  options: StartedOptions<CallOptions>,
  site: CallSite,
): Promise<void> {
  const { signal, deadline, timeoutMs = transport.timeoutMs } = options;
  const end = anyOf(signal, deadline);
  let lastFailure: FeiraError | undefined;
  for (let attempts = 0; ; ) {
    if (end.aborted) throw placeAt(stopped(end, signal, attempts, lastFailure), site);
    attempts++;
    try {
      const response = await transport.fetch(uploadUrl, {
        method: 'PUT',
        // fetch sets Content-Length from the body. The signature of the URL covers this header.
        headers: { 'content-type': contentType },
        body: bytes,
        signal: anyOf(end, AbortSignal.timeout(timeoutMs)),
      });
      if (response.ok) return;
      lastFailure = await refusedFile(response, attempts);
      if (!shouldRetry(response)) throw placeAt(lastFailure, site);
    } catch (cause) {
      if (cause instanceof FeiraError) throw cause;
      if (end.aborted) continue;
      lastFailure = unreachable(cause, attempts);
    }
    if (attempts >= transport.maxAttempts(options)) throw placeAt(lastFailure, site);
    await transport.clock.sleep(backoffMs(attempts), end).catch(() => {});
  }
}

function unreachable(cause: unknown, attempts: number): FeiraError {
  return new FeiraError('The storage could not be reached', { code: 'connection_failed', attempts, cause });
}

async function refusedFile(response: Response, attempts: number): Promise<FeiraError> {
  const { status } = response;
  const text = await response.text().catch(() => '');
  return new FeiraError(`The storage refused the file (status ${status}): ${text}`, {
    status,
    code: 'upload_refused',
    attempts,
  });
}

async function bytesOf(image: Uint8Array | ArrayBuffer | Blob): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array('arrayBuffer' in image ? await image.arrayBuffer() : image);
}

/**
 * Detects the type from the first bytes of the file, as the server does, because names and declared types are often
 * wrong.
 */
function imageType(bytes: Uint8Array): string | undefined {
  const start = String.fromCharCode(...bytes.subarray(0, 12));
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (start.startsWith('\x89PNG')) return 'image/png';
  if (start.startsWith('GIF8')) return 'image/gif';
  return start.startsWith('RIFF') && start.endsWith('WEBP') ? 'image/webp' : undefined;
}
