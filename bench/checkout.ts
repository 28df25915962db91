import type { Call } from './calls.js';
import type { LoadResult } from './load.js';
import type { Server } from './processes.js';
import { RawConnection, type RawResponse } from './raw-connection.js';
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

interface Shop {
  server: Server;
  connection: Connection;
  stores: SeededStore[];
}

interface Product {
  id: string;
}

/**
 * Buyers order in one shop, either many different products or all the same one, with three requests per order: the
 * checkout page, the order and its payment. The results count orders, not requests.
 */
export async function checkoutCalls({ server, connection, stores }: Shop): Promise<Call[]> {
  const { workspaceId } = stores[0]!;
  const products = await query<Product>(
    connection,
    `select id from products where not has_variants and quantity > 50 order by md5(id::text) limit 3000`,
  );
  const [popular] = await query<Product>(
    connection,
    `update products set quantity = 1000000 where workspace_id = '${workspaceId}' and id = '${products.pop()!.id}' returning id`,
  );
  let buyers = 0;
  const call = (name: string, goal: number | undefined, sold: Product[]): Call => ({
    name: `large: checkout to paid order, ${name}`,
    goal,
    server,
    status: 303,
    requests: () => [],
    async perform({ connections, seconds }) {
      // A shop accepts at most 3,000 orders in ten minutes. This resets the count.
      await query(connection, `delete from checkout_reservations where workspace_id = '${workspaceId}'`);
      const before = await paidOrders(connection);
      const open = Array.from({ length: connections }, () => new RawConnection(server.port));
      const result = await repeat(open, seconds, (raw) => new Buyer(raw, buyers++, sold).buy());
      for (const raw of open) raw.close();
      const paid = (await paidOrders(connection)) - before;
      const placed = result.statuses[303] ?? 0;
      if (paid !== placed) throw new Error(`${placed} purchases succeeded, but ${paid} orders were paid`);
      return result;
    },
  });
  return [call('many products', 0.015, products), call('one product', undefined, [popular!])];
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
  connections: RawConnection[],
  seconds: number,
  work: (connection: RawConnection) => Promise<number>,
): Promise<LoadResult> {
  const times: number[] = [];
  const statuses: Record<string, number> = {};
  const begun = performance.now();
  const loop = async (connection: RawConnection) => {
    while (performance.now() - begun < seconds * 1000) {
      const start = performance.now();
      const status = await work(connection);
      times.push(performance.now() - start);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(connections.map(loop));
  const took = (performance.now() - begun) / 1000;
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0;
  return { requests: times.length, seconds: took, p50: at(0.5), p99: at(0.99), statuses };
}

/** A browser with one product in its cart. */
class Buyer {
  private readonly headers: string[];
  private cookie: string;

  constructor(
    private readonly connection: RawConnection,
    private readonly number: number,
    products: Product[],
  ) {
    this.cookie = `feira_cart=${products[number % products.length]!.id}..1`;
    // Each buyer has a different IP address, because the number of orders per address is limited.
    this.headers = [`X-Forwarded-For: 10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`];
  }

  /** Buys once and returns the status of the last response. 303 is the redirect to the page of the paid order. */
  async buy(): Promise<number> {
    const form = await this.send('GET', `${SHOP}/checkout?zip=${ZIP}`);
    if (form.status !== 200) return form.status;
    for (const [, cookie] of form.head.matchAll(/^set-cookie: ([^;\r]*)/gim)) this.cookie += `; ${cookie}`;
    const typed = { ...TYPED, document: taxIdOf(this.number), ...hiddenFields(form.body) };
    const placed = await this.send('POST', `${SHOP}/checkout`, typed);
    if (placed.status !== 303) return placed.status;
    const payment = new URL(/^location: (\S+)/im.exec(placed.head)![1]!);
    const key = payment.searchParams.get('key') ?? '';
    return (await this.send('POST', payment.pathname, { key, decision: 'paid' })).status;
  }

  private send(method: string, path: string, fields?: Record<string, string>): Promise<RawResponse> {
    return this.connection.send(method, path, [...this.headers, `Cookie: ${this.cookie}`], fields);
  }
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
