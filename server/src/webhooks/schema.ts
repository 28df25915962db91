import type { Static } from 'typebox';
import { CHANGED_FIELDS, type ChangedField } from '../events/changed-fields.js';
import { EVENT_NAMES } from '../events/names.js';
import { Meta, pagingQuery } from '../platform/lists/paging.js';
import { HttpUrl, Id, Nullable, OneOf, OneOfOrNull, Shape, Time } from '../platform/schema/shapes.js';
import { Type } from '../platform/schema/type.js';
import { faultsOfPeriod } from './replay.js';

export const OfWebhook = Type.Object({ id: Type.String({ description: 'Webhook id' }) });

const eventName = OneOf(EVENT_NAMES, { title: 'EventName' });
const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'dropped'] as const;
const ATTEMPT_ERRORS = [
  'bad_status',
  'redirect',
  'timeout',
  'connect_timeout',
  'connection_refused',
  'connection_reset',
  'tls_failed',
  'name_not_found',
  'blocked_address',
  'response_too_large',
  'invalid_response',
  'secret_unreadable',
];

const url = HttpUrl({
  description:
    'The public http(s) URL to which deliveries are sent. It must not contain a user name or password.',
  examples: ['https://erp.example/hooks/feira'],
});
const events = Type.Array(eventName, {
  minItems: 1,
  maxItems: EVENT_NAMES.length,
  examples: [['stock.updated', 'order.paid']],
});
const filter = Type.Unsafe<{ fields: ChangedField[] } | null>({
  type: ['object', 'null'],
  description:
    'Limits product.updated to changes to at least one of these fields. Changes to variations match "variants", and changes to images match "images". Other events are not filtered. null: no filter.',
  properties: {
    fields: {
      type: 'array',
      minItems: 1,
      maxItems: CHANGED_FIELDS.length,
      items: { type: 'string', enum: [...CHANGED_FIELDS] },
    },
  },
  required: ['fields'],
  examples: [{ fields: ['price', 'variants'] }],
});
const excludeOwn = Type.Boolean({
  description: 'Skips the events that this app caused itself (origin app:<clientId>).',
});

export const NewWebhook = Shape(
  'NewWebhook',
  {
    url,
    events,
    filter: Type.Optional(filter),
    excludeOwn: Type.Optional(Type.Boolean({ ...excludeOwn, default: false })),
  },
  {
    examples: [
      {
        url: 'https://erp.example/hooks/feira',
        events: ['product.updated', 'order.paid'],
        filter: { fields: ['price', 'variants'] },
        excludeOwn: true,
      },
    ],
  },
);
export type NewWebhook = Static<typeof NewWebhook>;

export const WebhookChange = Shape(
  'WebhookChange',
  {
    url: Type.Optional(url),
    events: Type.Optional(events),
    filter: Type.Optional(filter),
    excludeOwn: Type.Optional(excludeOwn),
  },
  {
    'x-known-field': true,
    description: 'Only the fields sent are changed. null removes the filter.',
    examples: [{ events: ['stock.updated', 'order.paid'], filter: null }],
  },
);
export type WebhookChange = Static<typeof WebhookChange>;

const webhookFields = {
  id: Id(),
  url: Type.String(),
  events: Type.Array(OneOf<string>(EVENT_NAMES, { title: 'EventName' })),
  filter,
  excludeOwn,
  status: OneOf<string>(['active', 'failing'], {
    description:
      'failing: five deliveries in a row have failed or been dropped. A subscription is never disabled or deleted for failing.',
  }),
  createdAt: Time(),
  lastDeliveryAt: Nullable(Time()),
};

export const Webhook = Shape('Webhook', webhookFields);
export const WebhookList = Shape('WebhookList', { data: Type.Array(Webhook) });
export const CreatedWebhook = Shape('CreatedWebhook', {
  ...webhookFields,
  secret: Type.String({
    description: 'Signs deliveries. Shown only once.',
    examples: ['whsec_TMu6CMJVBZQSv+KMQNfk2Hb/jRTJlWPJuAR4zZCJOgA='],
  }),
});

const Attempt = Shape('DeliveryAttempt', {
  number: Type.Integer(),
  at: Time(),
  statusCode: Nullable(Type.Integer()),
  error: OneOfOrNull(ATTEMPT_ERRORS, {
    description: 'secret_unreadable: the stored secret cannot be decrypted. Rotate it.',
  }),
  durationMs: Type.Integer(),
  response: Nullable(Type.String({ description: 'The first kilobyte of the response body.' })),
});

export const Delivery = Shape('Delivery', {
  id: Id(),
  eventId: Id({ description: 'The value of X-Service-Delivery in every attempt.' }),
  event: OneOf<string>(EVENT_NAMES, { title: 'EventName' }),
  status: OneOf<string>(DELIVERY_STATUSES, {
    description:
      'failed: five attempts failed, or the app was disconnected. dropped: too many deliveries were pending, or this one was overdue for more than three days. Its event is still in the feed.',
  }),
  createdAt: Time(),
  nextAttemptAt: Nullable(
    Time({ description: 'When the next attempt is due, while the delivery is pending.' }),
  ),
  attempts: Type.Array(Attempt),
});
export const DeliveryList = Shape('DeliveryList', { data: Type.Array(Delivery), meta: Meta });

export const deliveryFilters = {
  status: Type.Optional(OneOf(DELIVERY_STATUSES)),
};
export const DeliveryQuery = Type.Object({
  ...pagingQuery,
  sort: Type.Optional(
    Type.String({ description: 'createdAt; a leading - sorts in descending order. Default: -createdAt.' }),
  ),
  ...deliveryFilters,
});

export const ReplayRequest = Shape(
  'ReplayRequest',
  {
    from: Type.String({
      description:
        'A time (RFC 3339), or a day (YYYY-MM-DD) in the time zone of the store. Deliveries created before it are left out.',
      examples: ['2026-01-31T00:00:00Z'],
    }),
    to: Type.Optional(
      Type.String({
        description:
          'A time or a day, in the same format as "from". Deliveries created after it are left out. Default: now.',
        examples: ['2026-01-31T06:00:00Z'],
      }),
    ),
    status: Type.Unsafe<'failed' | 'all'>({
      type: 'string',
      enum: ['failed', 'all'],
      description: 'failed: deliveries that failed or were dropped. all: also those that were delivered.',
    }),
  },
  { 'x-rule': faultsOfPeriod, examples: [{ from: '2026-01-31', status: 'failed' }] },
);
export const Replayed = Shape('Replayed', {
  count: Type.Integer({ description: 'Number of deliveries that were queued.', examples: [12] }),
  continueFrom: Type.Optional(
    Time({
      description: 'Present if more deliveries match than could be queued. To continue, send it as "from".',
    }),
  ),
});

export const PingAnswer = Shape('PingAnswer', {
  delivered: Type.Boolean(),
  statusCode: Nullable(Type.Integer()),
  error: OneOfOrNull(ATTEMPT_ERRORS),
  durationMs: Type.Integer(),
});

export const EventQuery = Type.Object({
  after: Type.Optional(
    Type.String({
      description:
        'nextCursor of the previous page. Without it, the feed begins with the oldest stored event.',
    }),
  ),
  cursor: Type.Optional(Type.String({ description: 'An alias of "after". Send only one of the two.' })),
  limit: pagingQuery.limit,
});

const EventRecord = Shape('Event', {
  id: Id(),
  sequence: Type.Integer({
    description:
      'Increases within the store. For the same product, variation or order, a later change has a higher sequence.',
    examples: [1024],
  }),
  event: Type.String({ examples: ['stock.updated'] }),
  workspaceId: Id(),
  data: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
  origin: Type.String({
    description: 'What caused the event: app:<clientId>, console, storefront, gateway, carrier or system.',
    examples: ['storefront'],
  }),
  createdAt: Time(),
});

export const EventList = Shape('EventList', {
  data: Type.Array(EventRecord),
  meta: Type.Object({
    limit: Type.Integer(),
    hasMore: Type.Boolean(),
    nextCursor: Type.String({ description: 'Always present. Store it and continue from it later.' }),
  }),
});
