import { randomBytes } from 'node:crypto';
import type {} from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Signer } from '../platform/crypto/signer.js';

const LIFETIME_SECONDS = 180 * 24 * 60 * 60;
const MAX_ACCOUNTS = 5;
const DEVICE_ID = /^[A-Za-z0-9_-]{22}$/;

/**
 * Recognizes a browser in which an account was signed in before. The cookie outlives the session and contains a random
 * id and, for each of the last five accounts, a signature of the id and the e-mail. The cookie does not sign the user
 * in. It only gives the browser a separate limit for failed attempts and a separate queue for hashing, so that an
 * attacker elsewhere cannot lock out the owner.
 */
export class KnownDevices {
  private readonly cookie: string;
  private readonly secure: boolean;

  constructor(
    private readonly signer: Signer,
    publicUrl: string,
  ) {
    this.secure = publicUrl.startsWith('https:');
    this.cookie = this.secure ? '__Host-feira-device' : 'feira-device';
  }

  /** Returns the id of the browser if the account was signed in there before. */
  idFor(request: FastifyRequest, email: string): string | undefined {
    const device = this.read(request);
    return device?.signatures.some((signature) => this.isOf(email, device.id, signature))
      ? device.id
      : undefined;
  }

  remember(request: FastifyRequest, reply: FastifyReply, email: string): void {
    const { id, signatures } = this.read(request) ?? {
      id: randomBytes(16).toString('base64url'),
      signatures: [],
    };
    const others = signatures.filter((signature) => !this.isOf(email, id, signature));
    const own = this.signer.sign('known device', id, normalized(email));
    const kept = [own, ...others].slice(0, MAX_ACCOUNTS);
    reply.setCookie(this.cookie, [id, ...kept].join('.'), {
      path: '/',
      httpOnly: true,
      sameSite: 'lax',
      secure: this.secure,
      maxAge: LIFETIME_SECONDS,
    });
  }

  private read(request: FastifyRequest): { id: string; signatures: string[] } | undefined {
    const [id = '', ...signatures] = (request.cookies[this.cookie] ?? '').split('.', MAX_ACCOUNTS + 1);
    return DEVICE_ID.test(id) ? { id, signatures } : undefined;
  }

  private isOf(email: string, id: string, signature: string): boolean {
    return this.signer.verify('known device', signature, id, normalized(email));
  }
}

function normalized(email: string): string {
  return email.trim().toLowerCase();
}
