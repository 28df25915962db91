import type { Clock } from '../platform/clock.js';
import type { Signer } from '../platform/crypto/signer.js';

const VALID_SECONDS = 7 * 24 * 60 * 60;

/** Labels contain a name and an address, so their links are signed and expire. */
export class LabelAddresses {
  constructor(
    private readonly publicUrl: string,
    private readonly signer: Signer,
    private readonly clock: Clock,
  ) {}

  urlOf(workspaceId: string, code: string): string {
    const expires = String(Math.floor(this.clock.now() / 1000) + VALID_SECONDS);
    const signature = this.signer.sign('label', workspaceId, code, expires);
    return `${this.publicUrl}/labels/${workspaceId}/${encodeURIComponent(code)}.pdf?${new URLSearchParams({ expires, signature })}`;
  }

  isGenuine(workspaceId: string, code: string, expires: string, signature: string): boolean {
    const isSigned = this.signer.verify('label', signature, workspaceId, code, expires);
    return isSigned && Number(expires) * 1000 >= this.clock.now();
  }
}
