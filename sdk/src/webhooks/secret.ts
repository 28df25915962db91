import { WebhookError } from './errors.js';

export const PREFIX = 'whsec_';

/** Throws if the secret does not have the form of the complete text that was shown when it was created. */
export function checkSecret(secret: unknown): void {
  const is = typeof secret !== 'string' ? `a value of type ${typeof secret}` : wrongForm(secret);
  if (is)
    throw new WebhookError(
      'wrong_secret_form',
      500,
      `The secret must be the whole text shown when it was created: ${PREFIX} and 44 characters. This one is ${is}`,
    );
}

function wrongForm(secret: string): string | undefined {
  if (secret !== secret.trim()) return 'preceded or followed by spaces or line breaks';
  if (!secret.startsWith(PREFIX)) return `without ${PREFIX}`;
  return /^[A-Za-z0-9+/]{43}=$/.test(secret.slice(PREFIX.length)) ? undefined : 'cut off or changed';
}
