import type {} from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../clock.js';
import type { Seal, SealedFor } from '../crypto/seal.js';

const LIFETIME_SECONDS = 120;

/** Identifies the page that shows the message and the account that may see it. */
interface FlashFor {
  path: string;
  userId: string;
}

interface Sealed<Note> {
  until: number;
  note: Note;
}

/**
 * A message from one page to the next, so that a submitted form can be answered with a redirect and a reload does not
 * submit it again. The message is stored in a cookie for the next page only. It is encrypted because it may contain a
 * new secret, and it expires after two minutes or once it has been shown.
 */
export class Flash {
  private readonly secure: boolean;

  constructor(
    private readonly seal: Seal,
    private readonly clock: Clock,
    publicUrl: string,
  ) {
    this.secure = publicUrl.startsWith('https:');
  }

  leave<Note>(reply: FastifyReply, page: FlashFor, note: Note): void {
    const sealed: Sealed<Note> = { until: this.clock.now() + LIFETIME_SECONDS * 1000, note };
    const value = this.seal.close(JSON.stringify(sealed), ownerOf(page)).toString('base64url');
    reply.setCookie(COOKIE, value, { ...this.attributes(page.path), maxAge: LIFETIME_SECONDS });
  }

  /** Returns the message for this page and deletes its cookie. */
  take<Note>(request: FastifyRequest, reply: FastifyReply, page: FlashFor): Note | undefined {
    const value = request.cookies[COOKIE];
    if (value === undefined) return undefined;
    reply.clearCookie(COOKIE, this.attributes(page.path));
    const sealed = this.opened<Note>(value, page);
    return sealed && sealed.until > this.clock.now() ? sealed.note : undefined;
  }

  private opened<Note>(value: string, page: FlashFor): Sealed<Note> | undefined {
    try {
      return JSON.parse(this.seal.open(Buffer.from(value, 'base64url'), ownerOf(page))) as Sealed<Note>;
    } catch {
      // The value was not encrypted by us, or belongs to another page or account.
      return undefined;
    }
  }

  private attributes(path: string) {
    return { path, httpOnly: true, sameSite: 'lax', secure: this.secure } as const;
  }
}

const COOKIE = 'feira-flash';

/** A flash message belongs to an account and not to a store, so `workspaceId` is empty. */
function ownerOf({ path, userId }: FlashFor): SealedFor {
  return { purpose: 'flash', workspaceId: '', id: `${userId} ${path}` };
}
