import type { Clock } from '../clock.js';
import { FeiraError } from '../errors.js';
import { base64url, hmac, hmacKey } from '../hmac.js';

const SESSION_MS = 60 * 60 * 1000;
/** Long enough for a merchant who receives the link for connecting again by e-mail. */
const STORE_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * The state and the PKCE verifier of an authorization. The state is checked with the client secret and the session, and
 * the verifier is computed from the state and the client secret. So nothing has to be stored between `connect` and
 * `connected`, and any process can handle the callback.
 *
 * state = nonce.time.store.proof. The proof covers the session, so a callback from an authorization that an attacker
 * started does not connect the attacker's store to the account of the signed-in user. A state for connecting a known
 * store again is bound to that store instead of a session.
 */
export class AuthorizationStates {
  private readonly key: Promise<CryptoKey>;

  constructor(
    clientSecret: string,
    private readonly clock: Clock,
  ) {
    this.key = hmacKey(clientSecret);
  }

  forSession(session: string): Promise<string> {
    return this.create('', session);
  }

  forStore(workspaceId: string): Promise<string> {
    return this.create(workspaceId, '');
  }

  /** Returns the store that the state was created for, if any. Throws if the state is invalid or too old. */
  async check(state: string, session: string): Promise<string | undefined> {
    const [nonce = '', time = '', store = '', proof = ''] = state.split('.');
    if (!sameText(proof, await this.proof(nonce, time, store, store ? '' : session)))
      throw invalid('The state was not created by connect() for this session. Start again with connect()');
    if (this.clock.now() - Number(time) > (store ? STORE_MS : SESSION_MS))
      throw invalid('The authorization took too long. Start again with connect()');
    return store || undefined;
  }

  async verifier(state: string): Promise<string> {
    return base64url(await hmac(await this.key, `verifier ${state}`));
  }

  async challenge(state: string): Promise<string> {
    const verifier = new TextEncoder().encode(await this.verifier(state));
    return base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', verifier)));
  }

  private async create(store: string, session: string): Promise<string> {
    const nonce = base64url(crypto.getRandomValues(new Uint8Array(16)));
    const time = String(Math.floor(this.clock.now()));
    const proof = await this.proof(nonce, time, store, session);
    return [nonce, time, store, proof].join('.');
  }

  private async proof(nonce: string, time: string, store: string, session: string): Promise<string> {
    return base64url(await hmac(await this.key, JSON.stringify(['state', nonce, time, store, session])));
  }
}

/** Compares in constant time: the duration does not reveal where the texts differ. */
function sameText(given: string, expected: string): boolean {
  let difference = given.length ^ expected.length;
  for (let i = 0; i < expected.length; i++) difference |= given.charCodeAt(i) ^ expected.charCodeAt(i);
  return difference === 0;
}

function invalid(message: string): FeiraError {
  return new FeiraError(message, { code: 'invalid_state' });
}
