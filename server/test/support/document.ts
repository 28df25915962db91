import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

// Checks the responses and deliveries of the server against the openapi.json that it serves.

interface Media {
  schema?: object;
}
interface Response {
  $ref?: string;
  content?: Record<string, Media>;
}
interface Operation {
  operationId: string;
  responses: Record<string, Response>;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: { requestBody: { content: Record<string, Media> } } }>;
  components: { responses: Record<string, Response> };
}

export interface Answered {
  method: string;
  url: string;
  status: number;
  contentType: string | undefined;
  body: string;
}

const FORMATS: Record<string, RegExp> = {
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/,
  date: /^\d{4}-\d\d-\d\d$/,
  uri: /^[a-z][a-z0-9+.-]*:\S+$/i,
};

/** Every status must be listed, every JSON body must match its schema, and no field may be undocumented. */
export class DocumentChecker {
  private readonly ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    formats: FORMATS,
    discriminator: false,
  });
  private readonly compiled = new Map<string, ValidateFunction>();
  private readonly routes: { segments: string[]; methods: Record<string, Operation>; path: string }[];
  private readonly document: Document;

  constructor(document: object) {
    this.document = closeObjects(document) as Document;
    this.ajv.addSchema({ $id: 'openapi', ...this.document });
    this.routes = Object.entries(this.document.paths).map(([path, methods]) => ({
      path,
      methods,
      segments: path.split('/'),
    }));
  }

  /** Returns how a response contradicts the document, or undefined if it does not. */
  faultOf(answered: Answered): string | undefined {
    const { method, status, contentType = '', body } = answered;
    const path = answered.url.replace(/^https?:\/\/[^/]+/, '').split('?')[0]!;
    const route = this.find(path);
    const isApi = path.startsWith('/api/');
    const operation = route?.methods[method === 'HEAD' ? 'get' : method.toLowerCase()];
    if (!operation) return isApi && body !== '' ? this.faultOfError(answered) : undefined;
    const found = operation.responses[status];
    const name = `${method} ${route!.path} → ${status}`;
    if (!found) return `${name} is not in openapi.json: ${body.slice(0, 300)}`;
    const response = found.$ref ? this.document.components.responses[found.$ref.split('/').pop()!]! : found;
    if (method === 'HEAD' || body === '') return undefined;
    const type = contentType.split(';')[0]!;
    const media = response.content?.[type];
    if (!media) return `${name} has the content type "${type}", which is not in openapi.json`;
    const pointer = found.$ref
      ? `${found.$ref}/content/${pointerPart(type)}/schema`
      : `#/paths/${pointerPart(route!.path)}/${method.toLowerCase()}/responses/${status}/content/${pointerPart(type)}/schema`;
    if (type === 'application/json') return this.faultIn(name, pointer, JSON.parse(body));
    if (type !== 'application/x-ndjson' || !media.schema) return undefined;
    const lines = body.split('\n').filter(Boolean);
    return lines.map((line) => this.faultIn(name, pointer, JSON.parse(line))).find(Boolean);
  }

  /** Returns how the body of a delivery contradicts the schema of its event, or undefined if it does not. */
  faultOfDelivery(body: string): string | undefined {
    const delivery = JSON.parse(body) as { event: string };
    if (!this.document.webhooks[delivery.event]) return `no webhook ${delivery.event} in openapi.json`;
    const pointer = `#/webhooks/${delivery.event}/post/requestBody/content/application~1json/schema`;
    return this.faultIn(`delivery of ${delivery.event}`, pointer, delivery);
  }

  private faultOfError({ method, url, status, contentType, body }: Answered): string | undefined {
    const name = `${method} ${url} → ${status}`;
    if (!contentType?.startsWith('application/json')) return `${name} is not JSON but ${contentType}`;
    const fault = this.faultIn(name, '#/components/schemas/Error', JSON.parse(body));
    return fault && url.startsWith('/api/oauth/')
      ? this.faultIn(name, '#/components/schemas/OAuthError', JSON.parse(body))
      : fault;
  }

  private faultIn(name: string, pointer: string, value: unknown): string | undefined {
    let validate = this.compiled.get(pointer);
    if (!validate) {
      validate = this.ajv.compile({ $ref: `openapi${pointer}` });
      this.compiled.set(pointer, validate);
    }
    if (validate(value)) return undefined;
    const errors = (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
    return `${name} contradicts openapi.json: ${errors.slice(0, 5).join('; ')} in ${JSON.stringify(value).slice(0, 500)}`;
  }

  private find(path: string) {
    const segments = path.split('/');
    return this.routes
      .filter(
        (route) =>
          route.segments.length === segments.length &&
          route.segments.every(
            (each, at) => each === segments[at] || (each.startsWith('{') && segments[at] !== ''),
          ),
      )
      .sort((a, b) => parameters(a.path) - parameters(b.path))[0];
  }
}

function parameters(path: string): number {
  return path.split('{').length;
}

function pointerPart(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}

/**
 * Forbids additional fields in every object schema that lists its fields and does not explicitly allow others.
 * Responses must not have undocumented fields, although clients are asked to expect new ones.
 */
function closeObjects(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closeObjects);
  if (typeof node !== 'object' || node === null) return node;
  const closed = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closeObjects(value)]));
  const isObject = [closed.type].flat().includes('object') && closed.properties !== undefined;
  return isObject && closed.additionalProperties === undefined
    ? { ...closed, additionalProperties: false }
    : closed;
}
