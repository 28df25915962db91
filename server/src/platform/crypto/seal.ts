import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { deriveKey } from './derive-key.js';

const PURPOSES = ['webhook secret', 'idempotent answer', 'refresh answer', 'flash'] as const;

type SealingPurpose = (typeof PURPOSES)[number];

/**
 * The record that a sealed value belongs to. The seal authenticates it, so a value copied to another record cannot be
 * opened there.
 */
export interface SealedFor {
  purpose: SealingPurpose;
  workspaceId: string;
  id: string;
}

/** Thrown if no configured secret can open the value, or if the value was sealed for another record. */
export class UnreadableSealError extends Error {
  constructor({ purpose, id }: SealedFor) {
    super(
      `The ${purpose} of ${id} cannot be decrypted with any configured secret. Add the secret that it was encrypted with to FEIRA_SECRET_PREVIOUS`,
    );
  }
}

const MAGIC = Buffer.from('FS1\n');
const KEY_ID = 4;
const NONCE = 12;
const TAG = 16;

/**
 * Encrypts values that we must be able to read again: AES-256-GCM with a key derived from FEIRA_SECRET per purpose.
 * Layout: magic, id of the secret, nonce, tag, ciphertext.
 */
export class Seal {
  /** The prefix of every value that is sealed with the current secret. */
  readonly currentPrefix: Buffer;
  private readonly keys: Keys[];

  constructor(secrets: readonly string[]) {
    this.keys = secrets.map(keysOf);
    this.currentPrefix = this.keys[0]!.prefix;
  }

  close(text: string, owner: SealedFor): Buffer {
    const nonce = randomBytes(NONCE);
    const cipher = createCipheriv('aes-256-gcm', this.keys[0]!.byPurpose.get(owner.purpose)!, nonce);
    cipher.setAAD(associatedData(this.currentPrefix, owner));
    const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([this.currentPrefix, nonce, cipher.getAuthTag(), encrypted]);
  }

  open(sealed: Buffer, owner: SealedFor): string {
    const start = MAGIC.length + KEY_ID;
    const prefix = sealed.subarray(0, start);
    for (const keys of this.keys) {
      const opened = prefix.equals(keys.prefix)
        ? decrypt(sealed.subarray(start), keys.byPurpose.get(owner.purpose)!, associatedData(prefix, owner))
        : decrypt(sealed, keys.first, undefined);
      if (opened !== undefined) return opened;
    }
    throw new UnreadableSealError(owner);
  }
}

function decrypt(bytes: Buffer, key: Buffer, aad: Buffer | undefined): string | undefined {
  if (bytes.length < NONCE + TAG) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE));
  if (aad) decipher.setAAD(aad);
  decipher.setAuthTag(bytes.subarray(NONCE, NONCE + TAG));
  const text = decipher.update(bytes.subarray(NONCE + TAG));
  try {
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

interface Keys {
  prefix: Buffer;
  byPurpose: Map<SealingPurpose, Buffer>;
  /**
   * The key of values that were sealed before secrets had ids. Those values use one key for all purposes, no prefix and
   * no associated data.
   */
  first: Buffer;
}

function keysOf(secret: string): Keys {
  return {
    prefix: Buffer.concat([MAGIC, deriveKey(secret, 'key id', KEY_ID)]),
    byPurpose: new Map(PURPOSES.map((purpose) => [purpose, deriveKey(secret, `seal ${purpose}`)])),
    first: Buffer.from(hkdfSync('sha256', secret, '', 'at rest', 32)),
  };
}

function associatedData(prefix: Buffer, { purpose, workspaceId, id }: SealedFor): Buffer {
  return Buffer.concat([prefix, Buffer.from(JSON.stringify([purpose, workspaceId, id]))]);
}
