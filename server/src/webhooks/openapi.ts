import { EVENT_NAMES, type EventName } from '../events/names.js';
import { PAYLOADS } from '../events/payloads.js';
import type { DocumentPart } from '../platform/openapi/document-part.js';
import { Id } from '../platform/schema/shapes.js';
import { Type } from '../platform/schema/type.js';

const PING = 'ping' as const;
type Delivered = EventName | typeof PING;

/** A ping is delivered like an event, but has no sequence, no origin and no entry in the feed. */
const DELIVERED = {
  ...PAYLOADS,
  [PING]: {
    summary: 'A test delivery, requested with POST /webhooks/{id}/ping',
    data: Type.Object(
      { id: Id({ description: 'Id of the subscription.' }) },
      { additionalProperties: false },
    ),
    example: { id: '01a1df2b-7777-7d5e-9a3f-3f5f0a6d7e11' },
  },
};

const WORKSPACE = '01a1df25-1111-7c23-b2dc-ac78e5c21043';

/** Describes the events, both as deliveries (`webhooks`) and as entries of the feed (`Event`). */
export function describeEvents(): DocumentPart {
  const schemas: Record<string, object> = {
    Event: {
      oneOf: EVENT_NAMES.map((event) => ({ $ref: `#/components/schemas/${nameOf(event)}Event` })),
      discriminator: {
        propertyName: 'event',
        mapping: Object.fromEntries(
          EVENT_NAMES.map((event) => [event, `#/components/schemas/${nameOf(event)}Event`]),
        ),
      },
    },
  };
  const webhooks: Record<string, object> = {};
  for (const event of EVENT_NAMES) schemas[`${nameOf(event)}Event`] = entryOf(event);
  for (const event of [...EVENT_NAMES, PING] as Delivered[]) {
    schemas[`${nameOf(event)}Data`] = DELIVERED[event].data;
    schemas[`${nameOf(event)}Delivery`] = deliveryOf(event);
    webhooks[event] = { post: webhookOf(event) };
  }
  return { schemas, webhooks };
}

/** Returns, for example, OrderPartiallyRefunded for order.partially_refunded. */
function nameOf(event: Delivered): string {
  return event.replace(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function commonOf(event: Delivered) {
  return {
    event: { type: 'string', const: event },
    workspaceId: Id({ description: 'Id of the store.' }),
    data: { $ref: `#/components/schemas/${nameOf(event)}Data` },
  };
}

function deliveryOf(event: Delivered): object {
  const properties = commonOf(event);
  return {
    type: 'object',
    required: Object.keys(properties),
    properties,
    additionalProperties: false,
    description: DELIVERED[event].summary,
  };
}

function entryOf(event: EventName): object {
  const properties = {
    id: Id({ description: 'Id of the event, sent as X-Service-Delivery in its deliveries.' }),
    sequence: {
      type: 'integer',
      minimum: 1,
      description:
        'Increases within the store. For the same product, variation or order, a later change has a higher sequence.',
    },
    ...commonOf(event),
    origin: {
      type: 'string',
      pattern: '^(app:.+|console|storefront|gateway|carrier|system)$',
      description: 'What caused the event: app:<clientId>, console, storefront, gateway, carrier or system.',
      examples: ['storefront'],
    },
    createdAt: { type: 'string', format: 'date-time' },
  };
  return {
    type: 'object',
    required: Object.keys(properties),
    properties,
    description: PAYLOADS[event].summary,
  };
}

const header = (name: string, description: string, schema: object, required = true) => ({
  name,
  in: 'header',
  required,
  description,
  schema,
});

const text = { type: 'string' };

const HEADERS: (ReturnType<typeof header> & { ofEvents?: boolean })[] = [
  header(
    'X-Service-Signature-256',
    'sha256= followed by the hexadecimal HMAC-SHA-256 of the body, keyed with the secret.',
    text,
  ),
  header(
    'X-Service-Signature-256-Previous',
    'Sent for 24 hours after a rotation: the signature with the old secret.',
    text,
    false,
  ),
  header(
    'X-Service-Delivery',
    'Id of the event, the same for every attempt. Use it to detect duplicates.',
    Id(),
  ),
  {
    ...header(
      'X-Service-Sequence',
      'Sequence number. Ignore the event if you have processed one with a higher number for the same record.',
      { type: 'integer' },
    ),
    ofEvents: true,
  },
  { ...header('X-Service-Origin', 'What caused the event.', text), ofEvents: true },
  header('X-Service-Attempt', 'Number of the attempt, from 1.', { type: 'integer' }),
  header('X-Service-Timestamp', 'Time of the attempt in Unix seconds.', { type: 'integer' }),
  header('webhook-id', 'The same as X-Service-Delivery, for Standard Webhooks libraries.', Id()),
  header('webhook-timestamp', 'The same as X-Service-Timestamp.', { type: 'integer' }),
  header('webhook-signature', 'The signature as Standard Webhooks defines it.', text),
];

function webhookOf(event: Delivered): object {
  const { summary, example } = DELIVERED[event];
  const headers = event === PING ? HEADERS.filter(({ ofEvents }) => !ofEvents) : HEADERS;
  return {
    operationId: `on${nameOf(event)}`,
    tags: ['Webhooks'],
    summary,
    security: [],
    parameters: [
      header('X-Service-Event', 'Name of the event.', { type: 'string', const: event }),
      ...headers.map(({ ofEvents: _, ...parameter }) => parameter),
    ],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: { $ref: `#/components/schemas/${nameOf(event)}Delivery` },
          example: { event, workspaceId: WORKSPACE, data: example },
        },
      },
    },
    responses: {
      '2XX': {
        description: 'Acknowledged. Any other response, including a redirect, counts as a failed attempt.',
      },
    },
  };
}
