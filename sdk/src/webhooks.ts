import type { EventPayloads } from './types.js';
import { WebhookError } from './webhooks/errors.js';
import {
  type FastifyCalls,
  type FastifyLike,
  type NodeRequest,
  type NodeResponse,
  rawBody,
} from './webhooks/frameworks.js';
import { Recent } from './webhooks/recent.js';
import { checkSecret } from './webhooks/secret.js';
import { verifyDelivery, type WebhookSettings } from './webhooks/verify.js';

export { WebhookError };

export interface WebhookEvent<Name extends keyof EventPayloads = keyof EventPayloads> {
  /** The id of the event, which is the same for all attempts and redeliveries. */
  id: string;
  event: Name;
  workspaceId: string;
  data: EventPayloads[Name];
  /** The sequence number of the event. Later events of the same store have higher numbers. 0 for a ping. */
  sequence: number;
  /** What caused the event: app:<clientId>, console, storefront, gateway, carrier or system. */
  origin: string;
  /** The number of this attempt to deliver the event, starting with 1. */
  attempt: number;
}

/** Any event, including events that the API adds later. */
export type AnyWebhookEvent = Omit<WebhookEvent, 'event' | 'data'> & {
  event: WebhookEvent['event'] | (string & {});
  data: WebhookEvent['data'] | Record<string, unknown>;
};

/** Remembers which events have been handled, by `id`, for example in a table with a unique key. */
export interface Deduplication {
  has(deliveryId: string): boolean | Promise<boolean>;
  /** Called when all handlers have succeeded, or when the event was dropped because it is stale. */
  add(deliveryId: string): unknown;
}

/**
 * Remembers a sequence number under each key. A key consists of an event name, a store, a resource and, if the event
 * has one, a SKU.
 */
export interface Sequences {
  get(key: string): number | undefined | Promise<number | undefined>;
  set(key: string, sequence: number): unknown;
}

export interface WebhooksOptions extends WebhookSettings {
  /** Remembers which events have been handled. Default: the last 10,000, in memory. */
  deduplication?: Deduplication;
  /**
   * Used to drop stale events: those that arrive after a later event of the same name for the same resource (and SKU,
   * if any), or after the product.deleted event of their product. Default: the last 10,000 keys, in memory. With false,
   * stale events are handled too.
   */
  sequences?: Sequences | false;
  /** Called by `fetch`, `node` and `fastify` if a delivery is rejected or a handler fails. Default: console.error. */
  onError?: (error: unknown) => void;
}

type Handler = (event: WebhookEvent) => unknown;

/** Receives webhooks: verifies them, drops duplicates and stale events, and calls the handlers. */
export class Webhooks {
  private readonly handlers = new Map<string, Handler[]>();
  private readonly deduplication: Deduplication;
  private readonly sequences: Sequences | false;
  private readonly inProgress = new Set<string>();

  constructor(private readonly options: WebhooksOptions) {
    for (const secret of [options.secret].flat()) checkSecret(secret);
    const seen = new Recent<true>();
    this.deduplication = options.deduplication ?? {
      has: (id) => seen.get(id) !== undefined,
      add: (id) => seen.set(id, true),
    };
    this.sequences = options.sequences ?? new Recent<number>();
  }

  /** Registers a handler. `*` handles every event, including events that this version does not know. */
  on<Name extends keyof EventPayloads>(name: Name, handler: (event: WebhookEvent<Name>) => unknown): this;
  on(name: '*', handler: (event: AnyWebhookEvent) => unknown): this;
  on(name: string, handler: (event: never) => unknown): this {
    this.handlers.set(name, [...(this.handlers.get(name) ?? []), handler as Handler]);
    return this;
  }

  /** The handler for runtimes with the Fetch API: (request) => hooks.fetch(request). */
  readonly fetch = async (request: Request): Promise<Response> => {
    const { status, body } = await this.respond(
      async () => (request.bodyUsed ? {} : new Uint8Array(await request.arrayBuffer())),
      request.headers,
    );
    return new Response(body, { status });
  };

  /** The handler for node:http and Express, called with (request, response). Mount it before any body parser. */
  readonly node = async (request: NodeRequest, response: NodeResponse): Promise<void> => {
    const { status, body } = await this.respond(() => rawBody(request), request.headers);
    response.statusCode = status;
    response.end(body ?? undefined);
  };

  /** A plugin for Fastify: app.register(hooks.fastify, { path: '/webhooks' }). */
  readonly fastify = async (instance: FastifyLike, { path }: { path: string }): Promise<void> => {
    const app = instance as FastifyCalls;
    // Inside this plugin, the body is kept as bytes, because the signature covers them.
    app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, body),
    );
    app.post(path, async (request, reply) => {
      const { status, body } = await this.respond(async () => request.body, request.headers);
      return reply.code(status).send(body ?? undefined);
    });
  };

  private async respond(
    read: () => Promise<unknown>,
    headers: Headers | Record<string, unknown>,
  ): Promise<{ status: number; body: string | null }> {
    try {
      await this.handle(await read(), headers);
      return { status: 204, body: null };
    } catch (error) {
      (this.options.onError ?? console.error)(error);
      if (!(error instanceof WebhookError)) return { status: 500, body: null };
      return { status: error.status, body: error.code };
    }
  }

  /**
   * Verifies and handles one delivery, given its unparsed body. Use it with a server that `fetch`, `node` and `fastify`
   * do not support. Throws WebhookError, or the error of a handler.
   */
  async handle(body: unknown, headers: Headers | Record<string, unknown>): Promise<void> {
    const event = await verifyDelivery(body, headers, this.options);
    if (this.inProgress.has(event.id))
      throw new WebhookError(
        'in_progress',
        503,
        'The delivery arrived again while its handlers were still running. The status 503 makes Feira send it again later',
      );
    this.inProgress.add(event.id);
    try {
      if (await this.deduplication.has(event.id)) return;
      await this.callHandlers(event);
      await this.deduplication.add(event.id);
    } finally {
      this.inProgress.delete(event.id);
    }
  }

  private async callHandlers(event: WebhookEvent): Promise<void> {
    if (await this.isStale(event)) return;
    for (const handler of [...(this.handlers.get(event.event) ?? []), ...(this.handlers.get('*') ?? [])])
      await handler(event);
  }

  /**
   * Returns whether a later event of the same name for the same resource (and SKU, if any), or a later product.deleted
   * event of the same product, was already received. If not, remembers the sequence number of this event. Variations
   * without a SKU cannot be told apart, so their stock.updated events are not compared with each other.
   */
  private async isStale({ event, workspaceId, data, sequence }: WebhookEvent): Promise<boolean> {
    if (!this.sequences || sequence === 0) return false;
    const { id, orderId, sku } = data as { id?: string; orderId?: string; sku?: string };
    const resource = `${workspaceId} ${id ?? orderId}`;
    const own = sku === '' ? undefined : `${event} ${resource} ${sku ?? ''}`;
    const last = await Promise.all(
      [...(own === undefined ? [] : [own]), `product.deleted ${resource} `].map((key) =>
        (this.sequences as Sequences).get(key),
      ),
    );
    if (last.some((each) => each !== undefined && each > sequence)) return true;
    if (own !== undefined) await this.sequences.set(own, sequence);
    return false;
  }
}
