const text = new TextEncoder();

export async function hmacKey(key: string | Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  const bytes = typeof key === 'string' ? text.encode(key) : key;
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
}

export async function hmac(key: CryptoKey, message: string | Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const bytes = typeof message === 'string' ? text.encode(message) : message;
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes));
}

export function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

export function base64url(bytes: Uint8Array): string {
  return base64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
