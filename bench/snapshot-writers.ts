// The writers of snapshot.ts, in a separate process: reading the stream would hold them up. Each message with `ids`
// starts them; `stop` ends them and is answered with the number of writes.

const WRITERS = 16;

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

/** Mostly balances of simple products, some of variations, a few prices. */
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
  const response = await fetch(url + path, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  await response.arrayBuffer();
}
