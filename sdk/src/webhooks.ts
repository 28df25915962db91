import type { EventPayloads } from './types.js';
import { checkSecret, verifyDelivery, WebhookError, type WebhookSettings } from './webhooks/verify.js';

export { WebhookError };

export interface WebhookEvent<Name extends keyof EventPayloads = keyof EventPayloads> {
  /** The same for every attempt and resend. */
  id: string;
  event: Name;
  workspaceId: string;
  data: EventPayloads[Name];
  /** Increases within the store. Of a ping it is 0. */
  sequence: number;
  /** What caused the event: app:<clientId>, console, storefront, gateway, carrier or system. */
  origin: string;
  attempt: number;
}

/** Remembers the deliveries that were handled, for example in a table with a unique key. */
export interface Deduplication {
  has(deliveryId: string): boolean | Promise<boolean>;
  /** Called when the handlers have succeeded. */
  add(deliveryId: string): unknown;
}

/** Remembers the last sequence of each thing. */
export interface Sequences {
  get(key: string): number | undefined | Promise<number | undefined>;
  set(key: string, sequence: number): unknown;
}

export interface WebhooksOptions extends WebhookSettings {
  /** Default: the last 10,000 deliveries, in memory. */
  deduplication?: Deduplication;
  /** Default: the last 10,000 things, in memory. false: stale events are handled as well. */
  sequences?: Sequences | false;
  /** Called for a delivery that is refused, and for a handler that fails. Default: console.error. */
  onError?: (error: unknown) => void;
}

type Handler = (event: WebhookEvent) => unknown;
const REMEMBERED = 10_000;
const MOST_BYTES = 1_048_576;

/** Receives webhooks: verifies them, drops repetitions and stale ones, and calls the handlers. */
export class Webhooks {
  private readonly handlers = new Map<string, Handler[]>();
  private readonly deduplication: Deduplication;
  private readonly sequences: Sequences | false;

  constructor(private readonly options: WebhooksOptions) {
    for (const secret of [options.secret].flat()) checkSecret(secret);
    const seen = new Recent<true>();
    this.deduplication = options.deduplication ?? {
      has: (id) => seen.get(id) !== undefined,
      add: (id) => seen.set(id, true),
    };
    this.sequences = options.sequences ?? new Recent<number>();
  }

  /** `*` handles every event, also names that this version does not know. */
  on<Name extends keyof EventPayloads>(name: Name, handler: (event: WebhookEvent<Name>) => unknown): this;
  on(name: '*', handler: (event: WebhookEvent) => unknown): this;
  on(name: string, handler: (event: never) => unknown): this {
    this.handlers.set(name, [...(this.handlers.get(name) ?? []), handler as Handler]);
    return this;
  }

  /** For runtimes with web standards: (request) => hooks.fetch(request). */
  readonly fetch = async (request: Request): Promise<Response> => {
    const { status, body } = await this.respond(
      async () => (request.bodyUsed ? {} : new Uint8Array(await request.arrayBuffer())),
      request.headers,
    );
    return new Response(body, { status });
  };

  /** For node:http and Express: (request, response) => … Mount it before any parser of bodies. */
  readonly node = async (request: NodeRequest, response: NodeResponse): Promise<void> => {
    const { status, body } = await this.respond(() => rawBody(request), request.headers);
    response.statusCode = status;
    response.end(body ?? undefined);
  };

  /** A plugin for Fastify: app.register(hooks.fastify, { path: '/webhooks' }). */
  readonly fastify = async (instance: FastifyLike, { path }: { path: string }): Promise<void> => {
    const app = instance as FastifyCalls;
    // Within this plugin only. Fastify would parse the body, and the signature covers its bytes.
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

  /** Verifies and handles one delivery. Throws WebhookError, or what a handler throws. */
  async handle(body: unknown, headers: Headers | Record<string, unknown>): Promise<void> {
    const event = await verifyDelivery(body, headers, this.options);
    if (await this.deduplication.has(event.id)) return;
    if (!(await this.isStale(event)))
      for (const handler of [...(this.handlers.get(event.event) ?? []), ...(this.handlers.get('*') ?? [])])
        await handler(event);
    await this.deduplication.add(event.id);
  }

  /** An event is stale when a later one of the same kind about the same thing was handled, or its product is deleted. */
  private async isStale({ event, workspaceId, data, sequence }: WebhookEvent): Promise<boolean> {
    if (!this.sequences || sequence === 0) return false;
    const { id, orderId, sku = '' } = data as { id?: string; orderId?: string; sku?: string };
    const thing = `${workspaceId} ${id ?? orderId}`;
    const own = `${event} ${thing} ${sku}`;
    const last = await Promise.all(
      [own, `product.deleted ${thing} `].map((key) => (this.sequences as Sequences).get(key)),
    );
    if (last.some((each) => each !== undefined && each > sequence)) return true;
    await this.sequences.set(own, sequence);
    return false;
  }
}

/** A map that forgets its oldest entries. */
class Recent<T> {
  private readonly entries = new Map<string, T>();

  get(key: string): T | undefined {
    return this.entries.get(key);
  }

  set(key: string, value: T): void {
    this.entries.delete(key);
    this.entries.set(key, value);
    if (this.entries.size > REMEMBERED) this.entries.delete(this.entries.keys().next().value as string);
  }
}

export interface NodeRequest extends AsyncIterable<Uint8Array | string> {
  headers: Record<string, string | string[] | undefined>;
  body?: unknown;
}

export interface NodeResponse {
  statusCode: number;
  end(body?: string): unknown;
}

/** An instance of any version of Fastify: its own types are too precise for a structural match. */
export interface FastifyLike {
  addContentTypeParser: (...args: never[]) => unknown;
  post: (...args: never[]) => unknown;
}

interface FastifyCalls {
  addContentTypeParser(
    type: string,
    options: { parseAs: 'buffer' },
    parser: (request: unknown, body: Uint8Array, done: (error: null, body: unknown) => void) => void,
  ): unknown;
  post(
    path: string,
    handler: (
      request: { body: unknown; headers: Record<string, unknown> },
      reply: { code(status: number): { send(body?: string): unknown } },
    ) => Promise<unknown>,
  ): unknown;
}

/** What a parser before us has left in `body`, or else the bytes of the request. */
async function rawBody(request: NodeRequest): Promise<unknown> {
  if (request.body !== undefined) return request.body;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk;
    size += bytes.length;
    if (size > MOST_BYTES)
      throw new WebhookError('body_too_large', 413, 'A delivery is never larger than 1 MB');
    chunks.push(bytes);
  }
  const whole = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.length;
  }
  return whole;
}
