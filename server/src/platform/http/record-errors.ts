import type { ErrorEntry } from './error-entry.js';

/** The codes of errors that concern one record, such as a product, an order, a payment or a subscription. */
export const RECORD_ERRORS = {
  duplicate_invoice: {
    status: 409,
    meaning: 'An order of the store already has an invoice with this access key.',
    remedy:
      'If that order is the one in your call, the invoice is already stored and nothing needs to be done. Otherwise delete the invoice from the order to which it was added by mistake.',
  },
  duplicate_name: {
    status: 409,
    meaning:
      'Another product of the store has this name. Names that differ only in upper and lower case count as different.',
    remedy: 'Choose another name, or update the existing product.',
  },
  duplicate_sku: {
    status: 409,
    meaning: 'Two variations of the product would have the same SKU once the call is applied.',
    remedy: 'Give each variation its own SKU. Two SKUs can be swapped within one call.',
  },
  illegal_transition: {
    status: 409,
    meaning: 'The current shipping status does not allow the requested change.',
    remedy: 'Read the order. The error names the current status and, unless it is final, the allowed ones.',
  },
  invalid_signature: {
    status: 401,
    meaning: 'The signature of a payment notification does not match its timestamp and body.',
    remedy: 'Sign the exact bytes of the body and the timestamp with the secret of the gateway.',
  },
  invoice_limit: {
    status: 409,
    meaning: 'The order has 20 invoices, which is the maximum.',
    remedy: 'Delete an invoice that is no longer valid.',
  },
  key_attached: {
    status: 409,
    meaning: 'The file uploaded with this key is or was attached to the product.',
    remedy: 'Read the images of the product. To attach the file again, upload it again with a new key.',
  },
  key_in_use: {
    status: 409,
    meaning: 'Another request is attaching, or has just attached, the file uploaded with this key.',
    remedy: 'Read the images of the product before sending anything again.',
  },
  link_refused: {
    status: 403,
    meaning: 'The link to a label is invalid or has expired.',
    remedy: 'Read the shipment (GET /shipments/{code}) for a new labelUrl.',
  },
  no_payment_gateway: {
    status: 409,
    meaning: 'This server has no payment gateway, so orders cannot be paid or refunded.',
    remedy: 'Ask the operator of the server to set PAYMENT_GATEWAY.',
  },
  no_such_payment: {
    status: 409,
    meaning: 'The sandbox gateway has no payment with this id.',
    remedy: 'Check that the order was paid at the sandbox gateway of this server.',
  },
  not_paid: {
    status: 409,
    meaning: 'Only an order that is paid or partial_refunded can be shipped or get a label.',
    remedy: 'If the order is pending, wait for order.paid.',
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
  over_balance: {
    status: 409,
    meaning: 'The refund at the sandbox gateway exceeds what is left of the payment, or nothing is left.',
    remedy:
      'Read the order: it may have been refunded at the gateway. In "feira gateway refund", the amount must be at most the balance that the error names.',
  },
  payment_final: {
    status: 409,
    meaning: 'The payment at the sandbox gateway is already paid or canceled.',
    remedy: 'Read the order.',
  },
  refund_under_way: {
    status: 409,
    meaning: 'Another refund of this order has started and is not finished.',
    remedy: 'Read the order after a few seconds. If it is still not refunded, send the refund again.',
    retry: true,
  },
  shipment_exists: {
    status: 409,
    meaning: 'The order already has a shipment or a manually entered tracking code.',
    remedy:
      'For a new labelUrl, read the shipment that the error names. A manually entered code has no label.',
  },
  stale_notification: {
    status: 401,
    meaning: 'The timestamp of a payment notification is more than five minutes from the current time.',
    remedy: 'Sign the notification again with the current time.',
  },
  subscription_limit: {
    status: 409,
    meaning: 'The app has 20 webhook subscriptions in this store, which is the maximum.',
    remedy: 'Delete a subscription first, or add events to an existing one.',
  },
} as const satisfies Record<string, ErrorEntry>;
