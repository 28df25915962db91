import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../platform/clock.js';

const VALID_SECONDS = 7 * 24 * 60 * 60;

/** Labels carry a name and an address: their links are signed and run out. */
export class LabelAddresses {
  constructor(
    private readonly publicUrl: string,
    private readonly secret: string,
    private readonly clock: Clock,
  ) {}

  urlOf(workspaceId: string, code: string): string {
    const expires = String(Math.floor(this.clock.now() / 1000) + VALID_SECONDS);
    const signature = this.sign(workspaceId, code, expires);
    return `${this.publicUrl}/labels/${workspaceId}/${encodeURIComponent(code)}.pdf?${new URLSearchParams({ expires, signature })}`;
  }

  isGenuine(workspaceId: string, code: string, expires: string, signature: string): boolean {
    const expected = Buffer.from(this.sign(workspaceId, code, expires));
    const given = Buffer.from(signature);
    return (
      given.length === expected.length &&
      timingSafeEqual(given, expected) &&
      Number(expires) * 1000 >= this.clock.now()
    );
  }

  private sign(workspaceId: string, code: string, expires: string): string {
    return createHmac('sha256', this.secret)
      .update(['label', workspaceId, code, expires].join('\n'))
      .digest('hex');
  }
}
