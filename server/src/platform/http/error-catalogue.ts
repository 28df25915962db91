/** What one error code means to the caller, and what to do about it. Shown at /docs/errors and listed in openapi.json. */
export interface ErrorEntry {
  status: number;
  meaning: string;
  remedy: string;
  /**
   * Set if the same request may succeed later: for every 408, 429 and 5xx, and for conflicts that resolve on their
   * own.
   */
  retry?: true;
}

const RETRY = 'Retry with exponential backoff, and after Retry-After seconds if that header is present.';

/** Every code that an error body can have. A code is never renamed and never changes its meaning. */
export const ERROR_CATALOGUE = {
  bad_request: {
    status: 400,
    meaning: 'The request could not be understood.',
    remedy: 'Read the sentence in error and correct the request. Repeating it unchanged fails again.',
  },
  body_too_large: {
    status: 413,
    meaning: 'The body is larger than 1 MB (1,048,576 bytes), or a chunk has oversized extensions.',
    remedy: 'Send the entries in several calls.',
  },
  busy: {
    status: 503,
    meaning:
      'A lock, a search or the database did not answer in time. Also returned while too many images of the store are being verified.',
    remedy: `${RETRY} Send an Idempotency-Key with writes, because the first attempt may have been stored.`,
  },
  cursor_expired: {
    status: 410,
    meaning:
      'The cursor is older than 30 days, or belongs to a history that was replaced when a backup was restored.',
    remedy: 'Read the current state of the store, then start again without a cursor.',
  },
  dry_run_unsupported: {
    status: 400,
    meaning:
      'This call has no dry run. Only writes of products, variations, stock and shipping status support it.',
    remedy: 'Leave out dryRun.',
  },
  duplicate_invoice: {
    status: 409,
    meaning: 'An order of the store already has an invoice with this access key.',
    remedy:
      'If it is the same order, nothing. Otherwise delete the invoice from the order to which it was added by mistake.',
  },
  duplicate_name: {
    status: 409,
    meaning: 'Another product of the store has this name. Upper and lower case are different names.',
    remedy: 'Choose another name, or update the existing product.',
  },
  duplicate_sku: {
    status: 409,
    meaning: 'Two variations of the product would have the same SKU once the call is applied.',
    remedy: 'Give each variation its own SKU. Two SKUs can be swapped within one call.',
  },
  expectation_failed: {
    status: 417,
    meaning: 'The Expect header has a value other than 100-continue.',
    remedy: 'Leave the header out.',
  },
  form_refused: {
    status: 403,
    meaning: 'A form on one of our pages is out of date or was sent from another site.',
    remedy: 'Go back, reload the page and send the form again.',
  },
  head_too_large: {
    status: 431,
    meaning: 'The request line and the headers together are larger than 16 kB.',
    remedy: 'Shorten the query or remove headers.',
  },
  idempotency_key_in_use: {
    status: 409,
    meaning: 'The first request with this Idempotency-Key is still running.',
    remedy: 'Send the same request with the same key again after Retry-After seconds.',
    retry: true,
  },
  idempotency_key_reused: {
    status: 422,
    meaning: 'This Idempotency-Key was used for a different request within the last 24 hours.',
    remedy: 'Use a new key for each new request, and the same key only to repeat a request unchanged.',
  },
  illegal_transition: {
    status: 409,
    meaning: 'The shipping status cannot change from its current value to the requested one.',
    remedy: 'Read the order. The error names the current status and the allowed ones.',
  },
  insufficient_scope: {
    status: 403,
    meaning: 'The access token lacks the scope that this call needs. The call counts against the rate limit.',
    remedy: 'Ask the merchant to authorize the app again with the scope named in the error.',
  },
  internal_error: {
    status: 500,
    meaning: 'Internal error.',
    remedy: `${RETRY} If it persists, send the requestId to support.`,
  },
  invalid_json: {
    status: 400,
    meaning: 'The body is missing, is not valid JSON in UTF-8, or is not a JSON object.',
    remedy: 'Send a JSON object with Content-Type: application/json.',
  },
  invalid_parameter: {
    status: 400,
    meaning: 'A parameter of the path or query, or a header, is malformed or unknown.',
    remedy:
      'Correct the parameter that the error names. For a misspelled name it suggests the nearest known one.',
  },
  invalid_signature: {
    status: 401,
    meaning: 'The signature of a payment notification does not match its body.',
    remedy: 'Sign the exact bytes of the body and the timestamp with the secret of the gateway.',
  },
  invalid_token: {
    status: 401,
    meaning: 'The access token is missing, unknown, expired or revoked.',
    remedy:
      'Renew it with the refresh token. If that fails with invalid_grant, ask the merchant to authorize the app again.',
  },
  invoice_limit: {
    status: 409,
    meaning: 'The order has 20 invoices, which is the maximum.',
    remedy: 'Delete an invoice that is no longer valid.',
  },
  key_attached: {
    status: 409,
    meaning: 'The uploaded file of this key is or was attached to the product.',
    remedy: 'Read the images of the product. To attach the file again, upload it again for a new key.',
  },
  key_in_use: {
    status: 409,
    meaning: 'Another request is attaching, or has just attached, the uploaded file of this key.',
    remedy: 'Read the images of the product before sending anything again.',
  },
  link_refused: {
    status: 403,
    meaning: 'The link to a label is invalid or has expired.',
    remedy: 'Read the shipment (GET /shipments/{code}) for a new labelUrl.',
  },
  method_not_allowed: {
    status: 405,
    meaning: 'The path exists, but not with this method.',
    remedy: 'Use one of the methods in the Allow header.',
  },
  no_payment_gateway: {
    status: 409,
    meaning: 'This server has no payment gateway, so it cannot refund.',
    remedy: 'Ask the operator of the server to set PAYMENT_GATEWAY.',
  },
  no_such_payment: {
    status: 409,
    meaning: 'The sandbox gateway has no payment with this id.',
    remedy: 'Open the payment from the page of the order.',
  },
  not_found: {
    status: 404,
    meaning: 'The path is unknown, or the resource does not exist in this store.',
    remedy: 'Check the path and the id. Resources of another store are reported as not found, too.',
  },
  not_paid: {
    status: 409,
    meaning: 'The order is not paid, so it cannot be sent and gets no label.',
    remedy: 'Wait for order.paid.',
  },
  not_refundable: {
    status: 409,
    meaning: 'Only an order that is paid or partial_refunded can be refunded.',
    remedy: 'Read the order. It may have been refunded or canceled already.',
  },
  not_your_store: {
    status: 403,
    meaning: 'The store chosen on the authorization page does not belong to the person who is signed in.',
    remedy: 'Go back, reload the page and choose again.',
  },
  nothing_to_refund: {
    status: 409,
    meaning: 'The payment at the sandbox gateway was not paid, so there is nothing to refund.',
    remedy: 'Pay it first.',
  },
  nothing_to_ship: {
    status: 409,
    meaning: 'The order has only digital products.',
    remedy: 'Do not create a label for it.',
  },
  orders_unavailable: {
    status: 502,
    meaning: 'The orders service does not respond. Products, stock and webhooks are not affected.',
    remedy: RETRY,
  },
  over_balance: {
    status: 409,
    meaning: 'The refund at the sandbox gateway exceeds what is left of the payment.',
    remedy: 'Refund at most the balance that the error names.',
  },
  page_too_large: {
    status: 400,
    meaning: 'The page is larger than 16 MB with the variations and images that include adds.',
    remedy: 'Send the same request with a smaller limit.',
  },
  payment_final: {
    status: 409,
    meaning: 'The payment at the sandbox gateway is already paid or canceled.',
    remedy: 'Read the order.',
  },
  precondition_failed: {
    status: 412,
    meaning: 'The resource has changed since the ETag in If-Match was read. Nothing was changed.',
    remedy:
      'Read the resource again and decide whether your change still applies. Then send it with the new ETag.',
  },
  rate_limited: {
    status: 429,
    meaning: 'The calls of this app for this store have reached the rate limit.',
    remedy: 'Wait Retry-After seconds. Prefer batch calls, and webhooks to polling.',
  },
  refund_under_way: {
    status: 409,
    meaning: 'Another refund of this order has started and is not finished.',
    remedy: 'Read the order after a few seconds. If it is still not refunded, send the refund again.',
    retry: true,
  },
  request_timeout: {
    status: 408,
    meaning: 'The request did not arrive completely in time.',
    remedy: 'Send it again, over a new connection.',
  },
  shipment_exists: {
    status: 409,
    meaning: 'The order already has a shipment.',
    remedy: 'Read the shipment that the error names. It has a fresh labelUrl.',
  },
  snapshot_running: {
    status: 409,
    meaning: 'Another snapshot of the store is being streamed to the same app.',
    remedy: 'Read that stream to its end or close its connection, then send the request again.',
  },
  stale_notification: {
    status: 401,
    meaning: 'The timestamp of a payment notification is more than five minutes from the current time.',
    remedy: 'Sign the notification again with the current time.',
  },
  storage_unavailable: {
    status: 503,
    meaning: 'The storage of images is full or does not respond. Nothing was changed.',
    remedy: RETRY,
  },
  subscription_limit: {
    status: 409,
    meaning: 'The app has 20 webhook subscriptions in this store, which is the maximum.',
    remedy: 'Delete a subscription first, or add events to an existing one.',
  },
  too_many_lists: {
    status: 429,
    meaning: 'Four large lists of this store and app are being read, and another did not get its turn.',
    remedy: 'Read the responses that are open completely, then retry after Retry-After seconds.',
  },
  unsupported_content_encoding: {
    status: 400,
    meaning: 'The body is compressed.',
    remedy: 'Send it uncompressed.',
  },
  unsupported_content_type: {
    status: 400,
    meaning: 'The Content-Type of the body is not the one that this call takes.',
    remedy: 'Send JSON with Content-Type: application/json.',
  },
  validation_failed: {
    status: 422,
    meaning: 'One or more fields are invalid. Nothing was changed.',
    remedy: 'Correct every field listed in details.',
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERROR_CATALOGUE;

export const ERROR_CODES = Object.keys(ERROR_CATALOGUE).sort() as ErrorCode[];
