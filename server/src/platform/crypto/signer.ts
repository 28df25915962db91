import { deriveKey } from './derive-key.js';
import { hmac, isSameDigest } from './hmac.js';

type SigningPurpose =
  | 'form'
  | 'known device'
  | 'upload'
  | 'label'
  | 'order link'
  | 'payment'
  | 'payment page';

/**
 * Signs values that we issue and later verify, such as forms, upload and label URLs, order links, payment pages and
 * payment notifications. The first of `secrets` signs and all of them verify, so values that were signed with a secret
 * in FEIRA_SECRET_PREVIOUS stay valid.
 */
export class Signer {
  private readonly keys = new Map<SigningPurpose, Buffer[]>();

  constructor(private readonly secrets: readonly string[]) {}

  sign(purpose: SigningPurpose, ...parts: string[]): string {
    return hmac(this.keysFor(purpose)[0]!, messageOf(parts)).toString('base64url');
  }

  verify(purpose: SigningPurpose, signature: string, ...parts: string[]): boolean {
    const given = Buffer.from(signature, 'base64url');
    // The decoder ignores characters outside base64url, so the signature must match its own re-encoding.
    if (given.toString('base64url') !== signature) return false;
    const message = messageOf(parts);
    return this.keysFor(purpose).some((key) => isSameDigest(hmac(key, message), given));
  }

  /**
   * The first order links were signed with the secret itself, not with a key derived for the purpose. Buyers keep them
   * in their e-mail, so they stay valid.
   */
  verifyFirstOrderLink(signature: string, workspaceId: string, orderId: string): boolean {
    const given = Buffer.from(signature, 'base64url');
    const message = `order\n${workspaceId}\n${orderId}`;
    return this.secrets.some((secret) => isSameDigest(hmac(secret, message), given));
  }

  private keysFor(purpose: SigningPurpose): Buffer[] {
    let keys = this.keys.get(purpose);
    if (!keys) {
      keys = this.secrets.map((secret) => deriveKey(secret, `sign ${purpose}`));
      this.keys.set(purpose, keys);
    }
    return keys;
  }
}

/** Encodes the parts as JSON. If they were concatenated, different parts could result in the same message. */
function messageOf(parts: string[]): string {
  return JSON.stringify(parts);
}
