export type WebhookErrorCode =
  | 'body_parsed'
  | 'body_changed'
  | 'body_too_large'
  | 'in_progress'
  | 'missing_signature'
  | 'wrong_signature'
  | 'wrong_time'
  | 'wrong_secret_form';

/** Thrown for a delivery that is rejected without calling a handler, and for a secret in the wrong format. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';

  constructor(
    readonly code: WebhookErrorCode,
    /** The HTTP status that the sender receives. */
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}
