import { Agent, type IncomingMessage, request } from 'node:http';
import type { Call } from './calls.js';
import type { LoadResult } from './load.js';
import type { Server } from './processes.js';
import { type Connection, query, type SeededStore } from './seed.js';

const SHOP = '/s/bench-1';
const ZIP = '01001000';
const TYPED = {
  name: 'Bia Souza',
  email: 'bia@cliente.example',
  phone: '(11) 99999-0000',
  zip: ZIP,
  street: 'Rua das Flores',
  number: '120',
  complement: '',
  district: 'Centro',
  city: 'São Paulo',
  state: 'SP',
  delivery: 'economy',
  payment: 'pix',
  installments: '1',
};

interface Answer {
  status: number;
  location: string;
  cookies: string[];
  html: string;
}

/**
 * Buyers order many different products in one shop, with three requests per order: the checkout page, the order and its
 * payment. The result counts orders, not requests.
 */
export async function checkoutCall({
  server,
  connection,
  stores,
}: {
  server: Server;
  connection: Connection;
  stores: SeededStore[];
}): Promise<Call> {
  const { workspaceId } = stores[0]!;
  const products = await query<{ id: string }>(
    connection,
    `select id from products where not has_variants and quantity > 50 order by md5(id::text) limit 3000`,
  );
  let buyers = 0;
  return {
    name: 'large: checkout to paid order, many products',
    goal: 0.015,
    server,
    status: 303,
    requests: () => [],
    async perform({ connections, seconds }) {
      // A shop accepts at most 3,000 orders in ten minutes. This resets the count.
      await query(connection, `delete from checkout_reservations where workspace_id = '${workspaceId}'`);
      const agent = new Agent({ keepAlive: true, maxSockets: connections });
      const buyer = () => new Buyer(server.port, agent, buyers++, products);
      const before = await paidOrders(connection);
      const result = await repeat(connections, seconds, () => buyer().buy());
      agent.destroy();
      const paid = (await paidOrders(connection)) - before;
      const placed = result.statuses[303] ?? 0;
      if (paid !== placed) throw new Error(`${placed} orders were placed and ${paid} paid`);
      return result;
    },
  };
}

async function paidOrders(connection: Connection): Promise<number> {
  const [row] = await query<{ paid: string }>(
    connection,
    `select count(*) as paid from orders where status = 'paid'`,
  );
  return Number(row!.paid);
}

/** Repeats the work on every connection until the time is over. */
async function repeat(
  connections: number,
  seconds: number,
  work: () => Promise<number>,
): Promise<LoadResult> {
  const times: number[] = [];
  const statuses: Record<string, number> = {};
  const begun = performance.now();
  const loop = async () => {
    while (performance.now() - begun < seconds * 1000) {
      const start = performance.now();
      const status = await work();
      times.push(performance.now() - start);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, loop));
  const took = (performance.now() - begun) / 1000;
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0;
  return { requests: times.length, seconds: took, p50: at(0.5), p99: at(0.99), statuses };
}

/** A browser with one product in its cart. */
class Buyer {
  private readonly headers: Record<string, string>;

  constructor(
    private readonly port: number,
    private readonly agent: Agent,
    private readonly number: number,
    products: { id: string }[],
  ) {
    const { id } = products[number % products.length]!;
    this.headers = {
      cookie: `feira_cart=${id}..1`,
      // Each buyer has a different IP address, because the number of orders per network is limited.
      'x-forwarded-for': `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`,
    };
  }

  /** Buys once and returns the status of the last response. 303 is the redirect to the page of the paid order. */
  async buy(): Promise<number> {
    const form = await this.send('GET', `${SHOP}/checkout?zip=${ZIP}`);
    if (form.status !== 200) return form.status;
    this.headers.cookie += `; ${form.cookies.map((cookie) => cookie.split(';')[0]).join('; ')}`;
    const typed = { ...TYPED, document: taxIdOf(this.number), ...hiddenFields(form.html) };
    const placed = await this.send('POST', `${SHOP}/checkout`, typed);
    if (placed.status !== 303) return placed.status;
    const payment = new URL(placed.location);
    const key = payment.searchParams.get('key') ?? '';
    return (await this.send('POST', payment.pathname, { key, decision: 'paid' })).status;
  }

  private send(method: string, path: string, fields?: Record<string, string>): Promise<Answer> {
    const body = fields && new URLSearchParams(fields).toString();
    const headers = {
      ...this.headers,
      ...(body && { 'content-type': 'application/x-www-form-urlencoded' }),
    };
    return new Promise((resolve, reject) => {
      request({ port: this.port, host: '127.0.0.1', agent: this.agent, method, path, headers }, (response) =>
        read(response).then(resolve, reject),
      )
        .on('error', reject)
        .end(body);
    });
  }
}

async function read(response: IncomingMessage): Promise<Answer> {
  let html = '';
  for await (const chunk of response.setEncoding('utf8')) html += chunk;
  return {
    status: response.statusCode as number,
    location: response.headers.location ?? '',
    cookies: response.headers['set-cookie'] ?? [],
    html,
  };
}

/** Returns a valid CPF (the tax number of a person) that is different for each buyer. */
function taxIdOf(number: number): string {
  const digits = [...String(100_000_000 + number)].map(Number);
  for (const length of [9, 10]) {
    const sum = digits.reduce((total, digit, at) => total + digit * (length + 1 - at), 0);
    digits.push(((sum * 10) % 11) % 10);
  }
  return digits.join('');
}

function hiddenFields(html: string): Record<string, string> {
  const inputs = html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g);
  return Object.fromEntries([...inputs].map(([, name, value]) => [name, value]));
}
