import { randomUUID } from 'node:crypto';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { localPath, shopOf, Visitor } from '../../support/buyer.js';
import { newProduct } from '../../support/catalog.js';
import { type Feira, openFeira, StoreClient } from '../../support/feira.js';
import { ANA, Merchant, openStore } from '../../support/merchant.js';
import { until } from '../../support/process.js';
import { Random } from '../../support/random.js';
import { Receiver } from '../../support/receiver.js';
import { isGenuine, readLog, type Subscription, subscribe } from '../../support/webhooks.js';

const OLD = 'the secret that was used until yesterday';
const NEW = 'the secret that is used from today on';

/** The steps in docs/OPERATIONS.md: first every process accepts the new secret, then every process signs with it. */
const STEPS = [
  [OLD, NEW],
  [NEW, OLD],
];
const PROCESSES = 2;

interface Process {
  feira: Feira;
  underWay: number;
}

/** The server that opens the database and prepares the store. The calls during the rotation go to `processes`. */
let base: Feira;
let processes: Process[];
let receiver: Receiver;
const random = new Random(7);

beforeAll(async () => {
  base = await openFeira({ secrets: [OLD] });
  receiver = await Receiver.open();
  processes = [await start([OLD]), await start([OLD])];
});
afterAll(async () => {
  for (const each of processes) await stop(each);
  await receiver.close();
  await base.close();
});

async function start(secrets: string[]): Promise<Process> {
  const feira = await openFeira({ on: base, secrets });
  feira.context.sequencer.start();
  feira.context.dispatcher.start();
  return { feira, underWay: 0 };
}

/** Waits for the pending calls of a process and stops it. The process must no longer get new calls. */
async function stop(each: Process): Promise<void> {
  await until(() => each.underWay === 0);
  await Promise.all([each.feira.context.sequencer.stop(), each.feira.context.dispatcher.stop()]);
  await each.feira.close();
}

/** Sends each request to one of the running processes at random. */
const balanced = {
  async inject(request: InjectOptions) {
    const each = random.pick(processes);
    each.underWay++;
    try {
      return await each.feira.app.inject(request);
    } finally {
      each.underWay--;
    }
  },
} as unknown as FastifyInstance;

test('sessions, order links, upload addresses, deliveries and idempotent responses survive a rolling change of FEIRA_SECRET', {
  timeout: 300_000,
}, async () => {
  const direct = await base.store();
  const store = await StoreClient.open(base.context, balanced, direct.workspaceId, direct.clientId, [
    'products:write',
    'products:read',
    'media:write',
    'webhooks:manage',
  ]);
  const productId = await newProduct(store, { quantity: 10_000 });
  const shop = await shopOf(base, direct);
  await openStore(base);
  const merchant = new Merchant(balanced);
  await merchant.signIn(ANA);

  const hooks: Subscription[] = [];
  const links: string[] = [];
  const answers: { key: string; body: object; answer: unknown }[] = [];
  const uploads: string[] = [];

  const repeat = async (key: string, body: object) =>
    store.post('/products', body, { 'idempotency-key': key });
  const open = async (url: string) => (await balanced.inject({ url })).statusCode;
  const put = async (url: string) => {
    const headers = { 'content-type': 'image/png' };
    return (await balanced.inject({ method: 'PUT', url, headers, payload: Buffer.alloc(10) })).statusCode;
  };

  const kinds: Record<string, () => Promise<void>> = {
    async session() {
      expect((await merchant.get('/console/apps')).status).toBe(200);
    },
    async checkout() {
      const address = `10.0.${random.below(250)}.${random.below(250)}`;
      const buyer = new Visitor({ ...base, app: balanced }, shop, {}, address);
      const order = localPath(await buyer.press(await buyer.get(await buyer.buy(productId)), 'Pay'));
      links.push(order);
      expect(await open(random.pick(links))).toBe(200);
    },
    async upload() {
      const asked = { productId, contentType: 'image/png', contentLength: 10 };
      const answer = await store.post('/uploads', asked);
      expect(answer.status).toBe(201);
      uploads.push(answer.body.uploadUrl.replace('http://feira.test', ''));
      expect(await put(random.pick(uploads))).toBe(200);
    },
    async replay() {
      const [key, body] = [randomUUID(), { name: randomUUID(), price: 1 }];
      answers.push({ key, body, answer: (await repeat(key, body)).body });
      const kept = random.pick(answers);
      const again = await repeat(kept.key, kept.body);
      expect(again.headers['idempotent-replayed']).toBe('true');
      expect(again.body).toEqual(kept.answer);
    },
  };

  let rotating = true;
  const counts: Record<string, number> = {};
  const loops = Object.entries(kinds).map(async ([kind, work]) => {
    while (rotating) {
      await work();
      counts[kind] = (counts[kind] ?? 0) + 1;
    }
  });
  const failure = Promise.all(loops);
  // A failure is reported where the promise is awaited, which may be later. Until then, it must not count as an
  // unhandled rejection.
  failure.catch(() => {});
  /** Creates a subscription and waits until every kind of call has been made three more times. */
  const exercise = async () => {
    hooks.push(await subscribe(store, `${receiver.url}/${hooks.length}`));
    const before = { ...counts };
    const isExercised = () =>
      Object.keys(kinds).every((kind) => (counts[kind] ?? 0) >= (before[kind] ?? 0) + 3);
    await Promise.race([until(isExercised), failure]);
  };

  await exercise();
  for (const secrets of STEPS) {
    for (let index = 0; index < PROCESSES; index++) {
      const former = processes[index]!;
      processes[index] = await start(secrets);
      await stop(former);
      await exercise();
    }
  }
  rotating = false;
  await failure;

  for (const link of links) expect(await open(link)).toBe(200);
  for (const url of uploads) expect(await put(url)).toBe(200);
  for (const { key, body, answer } of answers) expect((await repeat(key, body)).body).toEqual(answer);
  for (const [index, hook] of hooks.entries()) {
    await until(async () => (await readLog(store, hook.id, '?status=pending')).length === 0);
    expect(await readLog(store, hook.id, '?status=failed')).toEqual([]);
    const received = receiver.received.filter(({ path }) => path === `/${index}`);
    expect(received.length).toBeGreaterThan(0);
    expect(received.filter((each) => !isGenuine(hook.secret, each))).toEqual([]);
  }
});
