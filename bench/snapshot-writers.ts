import { Agent, request } from 'node:http';

// The writers of snapshot.ts, in a separate process, because reading the stream would delay them. A message with `ids`
// starts them. The message `stop` ends them, and the process replies with the number of writes.

const WRITERS = 16;
const agent = new Agent({ keepAlive: true });

interface Start {
  url: string;
  token: string;
  perSecond: number;
  /** Simple products. */
  ids: string[];
  /** Products with variations, each with one of its SKUs. */
  skus: [string, string][];
}

let isDone = false;

process.on('message', (message: Start | 'stop') => {
  if (message === 'stop') isDone = true;
  else void run(message);
});
process.on('disconnect', () => process.exit());

async function run(start: Start): Promise<void> {
  isDone = false;
  let written = 0;
  const begun = performance.now();
  const rate = start.perSecond / WRITERS;
  await Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      for (let n = 1; !isDone; n++) {
        await write(start, writer + n);
        written++;
        const waitMs = begun + (n / rate) * 1_000 - performance.now();
        if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
    }),
  );
  process.send?.({ written });
}

/** In 80% of the calls, changes the stock of a simple product; in 15%, that of a variation; in 5%, a price. */
async function write({ url, token, ids, skus }: Start, n: number): Promise<void> {
  const quantity = Math.floor(Math.random() * 1_000);
  const simple = ids[Math.floor(Math.random() * ids.length)];
  const [id, sku] = skus[Math.floor(Math.random() * skus.length)]!;
  const [path, body] =
    n % 20 === 0
      ? [`/products/${simple}`, { price: quantity }]
      : n % 5 === 0
        ? [`/products/${id}/variants/${encodeURIComponent(sku)}/stock`, { quantity }]
        : [`/products/${simple}/stock`, { quantity }];
  const status = await patch(url + path, token, JSON.stringify(body));
  if (status !== 200) throw new Error(`${path}: ${status}`);
}

/** Uses node:http because fetch needs twice the CPU time, and this process competes with the server for it. */
function patch(url: string, token: string, body: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    const sent = request(url, { agent, method: 'PATCH', headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    });
    sent.on('error', reject).end(body);
  });
}
