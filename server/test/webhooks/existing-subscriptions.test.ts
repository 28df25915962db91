import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startWorker, type Worker } from '../../src/worker.js';
import { newProduct } from '../support/catalog.js';
import { expectRejected } from '../support/expect-rejected.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { freePort, until } from '../support/process.js';
import { Receiver } from '../support/receiver.js';
import { isGenuine, pass, readLog, type Subscription, subscribe } from '../support/webhooks.js';

// Tests the calls for an existing subscription: ping it, rotate its secret, read its log, and send a delivery again.
let feira: Feira;
let worker: Worker;
let receiver: Receiver;
let store: StoreClient;
let hook: Subscription;
const DAY = 24 * 60 * 60 * 1000;
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

beforeAll(async () => {
  feira = await openFeira({ webhooks: { timeoutMs: 2_000 } });
  worker = startWorker(feira.context);
});
afterAll(async () => {
  await worker.stop();
  await feira.close();
});
beforeEach(async () => {
  receiver = await Receiver.open();
  store = await feira.store();
  hook = await subscribe(store, `${receiver.url}/hook`);
  return () => receiver.close();
});

describe('a ping', () => {
  test('sends one signed POST, returns the receiver’s status but not its body, and is not logged', async () => {
    receiver.answer = (_, response) => void response.writeHead(202).end('thank you');
    const answer = await store.post(`/webhooks/${hook.id}/ping`, {});
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      delivered: true,
      statusCode: 202,
      error: null,
      durationMs: expect.any(Number),
    });
    expect(receiver.received).toHaveLength(1);
    const [ping] = receiver.received;
    expect(JSON.parse(ping!.body)).toEqual({
      event: 'ping',
      workspaceId: store.workspaceId,
      data: { id: hook.id },
    });
    expect(ping!.headers['x-service-event']).toBe('ping');
    expect(isGenuine(hook.secret, ping!)).toBe(true);
    new Webhook(hook.secret).verify(ping!.body, ping!.headers);
    expect(await readLog(store, hook.id)).toEqual([]);
    expect(await feira.events(store.workspaceId)).toEqual([]);
  });

  test('needs no body', async () => {
    expect((await store.call('POST', `/webhooks/${hook.id}/ping`)).body.delivered).toBe(true);
  });

  test('reports whether the receiver answered with an error, timed out or refused the connection', async () => {
    receiver.answer = (_, response) => void response.writeHead(500).end('broken');
    expect((await store.post(`/webhooks/${hook.id}/ping`, {})).body).toMatchObject({
      delivered: false,
      statusCode: 500,
      error: 'bad_status',
    });
    receiver.answer = () => {};
    expect((await store.post(`/webhooks/${hook.id}/ping`, {})).body).toMatchObject({
      delivered: false,
      statusCode: null,
      error: 'timeout',
    });
    const closed = await subscribe(store, `http://127.0.0.1:${await freePort()}/`);
    expect((await store.post(`/webhooks/${closed.id}/ping`, {})).body.error).toBe('connection_refused');
  });

  test('handles a response that is not text', async () => {
    receiver.answer = (_, response) => void response.end(Buffer.from([0, 0xff, 0xed, 0xa0, 0x80, 65]));
    expect((await store.post(`/webhooks/${hook.id}/ping`, {})).body.delivered).toBe(true);
  });
});

describe('a rotation of the secret', () => {
  async function nextDelivery() {
    const count = receiver.received.length;
    await newProduct(await store.withScopes(['products:write']));
    await until(() => receiver.received.length > count);
    return receiver.received.at(-1)!;
  }

  test('adds a signature with the new secret to every later delivery, and keeps the one with the old secret for 24 hours', async () => {
    const before = await nextDelivery();
    expect(before.headers).not.toHaveProperty('x-service-signature-256-previous');
    const rotated = await store.post(`/webhooks/${hook.id}/rotate-secret`, {});
    expect(rotated.status).toBe(200);
    expect(rotated.body).toMatchObject({ id: hook.id, secret: expect.stringMatching(/^whsec_/) });
    const secret = rotated.body.secret as string;

    for (const wait of [0, DAY - 60_000]) {
      pass(feira, wait);
      const both = await nextDelivery();
      expect(isGenuine(secret, both)).toBe(true);
      expect(isGenuine(hook.secret, both, 'x-service-signature-256-previous')).toBe(true);
      expect(both.headers['webhook-signature']!.split(' ')).toHaveLength(2);
      expect(standardAccepts(secret, both) && standardAccepts(hook.secret, both)).toBe(true);
    }
    pass(feira, 60_001);
    const after = await nextDelivery();
    expect(isGenuine(secret, after)).toBe(true);
    expect(after.headers).not.toHaveProperty('x-service-signature-256-previous');
    expect([standardAccepts(secret, after), standardAccepts(hook.secret, after)]).toEqual([true, false]);
  });

  test('after another rotation leaves only the last two secrets in use', async () => {
    const second = (await store.post(`/webhooks/${hook.id}/rotate-secret`, {})).body.secret;
    const third = (await store.post(`/webhooks/${hook.id}/rotate-secret`, {})).body.secret;
    const delivery = await nextDelivery();
    expect(isGenuine(third, delivery)).toBe(true);
    expect(isGenuine(second, delivery, 'x-service-signature-256-previous')).toBe(true);
    expect(standardAccepts(hook.secret, delivery)).toBe(false);
  });

  /**
   * Computes the signature instead of calling `verify`, which compares the timestamp with the real clock. The test has
   * moved its own clock ahead.
   */
  function standardAccepts(
    secret: string,
    { body, headers }: { body: string; headers: Record<string, string> },
  ) {
    const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
    const mine = new Webhook(secret).sign(id!, new Date(Number(timestamp) * 1000), body);
    return signatures!.split(' ').includes(mine);
  }
});

describe('the log', () => {
  test('shows the deliveries, newest first, each with its attempts', async () => {
    receiver.answer = (_, response) => void response.writeHead(200).end('ok'.repeat(1000));
    await newProduct(store, { name: 'First' });
    await newProduct(store, { name: 'Second' });
    await until(async () => (await readLog(store, hook.id, '?status=delivered')).length === 2);
    const log = await readLog(store, hook.id);
    expect(log[0]!.createdAt >= log[1]!.createdAt).toBe(true);
    const ids = receiver.received.map(({ headers }) => headers['x-service-delivery']);
    expect(log.map(({ eventId }) => eventId).sort()).toEqual(ids.sort());
    for (const delivery of log) {
      expect(delivery).toEqual({
        id: expect.any(String),
        eventId: expect.any(String),
        event: 'product.created',
        status: 'delivered',
        createdAt: expect.stringMatching(RFC_3339),
        nextAttemptAt: null,
        attempts: [
          {
            number: 1,
            at: expect.stringMatching(RFC_3339),
            statusCode: 200,
            error: null,
            durationMs: expect.any(Number),
            response: 'ok'.repeat(512),
          },
        ],
      });
    }
  });

  test('shows when a delivery without attempts is due, and the metrics count it', async () => {
    const other = await openFeira();
    try {
      const idle = await other.store();
      const { id } = await subscribe(idle, receiver.url);
      await newProduct(idle);
      expect(await readLog(idle, id)).toMatchObject([
        { status: 'pending', nextAttemptAt: expect.stringMatching(RFC_3339), attempts: [] },
      ]);
      const metrics = await other.app.inject('/metrics');
      expect(metrics.body).toMatch(/^feira_deliveries_due 1$/m);
      expect(metrics.body).toMatch(/^feira_deliveries_oldest_due_seconds \d/m);
    } finally {
      await other.close();
    }
  });

  test('can be filtered by status and read by page and by cursor', async () => {
    const broken = new Set(['P1', 'P4']);
    receiver.answer = ({ body }, response) =>
      void response.writeHead(broken.has(JSON.parse(body).data.name) ? 500 : 204).end();
    for (let i = 0; i < 6; i++) await newProduct(store, { name: `P${i}` });
    await until(async () => (await readLog(store, hook.id, '?status=delivered')).length === 4);
    expect(await readLog(store, hook.id, '?status=failed')).toEqual([]);
    expect(await readLog(store, hook.id, '?status=pending')).toHaveLength(2);

    const all = (await readLog(store, hook.id)).map(({ id }) => id);
    const path = `/webhooks/${hook.id}/deliveries`;
    const second = await store.get(`${path}?limit=2&page=2`);
    expect(second.body.data.map(({ id }: { id: string }) => id)).toEqual(all.slice(2, 4));
    expect(second.body.meta).toMatchObject({ limit: 2, page: 2, total: 6, totalPages: 3, hasMore: true });
    const walked: string[] = [];
    for (let cursor = second.body.meta.nextCursor; cursor !== null; ) {
      const page = await store.get(`${path}?limit=1&cursor=${cursor}`);
      walked.push(...page.body.data.map(({ id }: { id: string }) => id));
      cursor = page.body.meta.nextCursor;
    }
    expect(walked).toEqual(all.slice(4));
    for (const query of ['status=lost', 'page=0', 'limit=x', 'cursor=garbage', 'sort=event'])
      expectRejected(await store.get(`${path}?${query}`), 400);
  });
});

describe('a redelivery', () => {
  test('is sent with the same X-Service-Delivery after a success and after a failure', async () => {
    await newProduct(store);
    await until(async () => (await readLog(store, hook.id, '?status=delivered')).length === 1);
    const [first] = await readLog(store, hook.id);
    for (const [round, status] of [
      [2, 500],
      [3, 204],
    ] as const) {
      receiver.answer = (_, response) => void response.writeHead(status).end();
      const again = await store.post(`/webhooks/${hook.id}/deliveries/${first!.id}/redeliver`, {});
      expect(again.status).toBe(200);
      expect(again.body).toMatchObject({ id: first!.id, eventId: first!.eventId, status: 'pending' });
      await until(async () => (await readLog(store, hook.id))[0]!.attempts.length === round);
    }
    expect((await readLog(store, hook.id))[0]).toMatchObject({ status: 'delivered' });
    const sent = receiver.received;
    expect(new Set(sent.map(({ headers }) => headers['x-service-delivery']))).toEqual(
      new Set([first!.eventId]),
    );
    expect(new Set(sent.map(({ body }) => body)).size).toBe(1);
    expect(sent.map(({ headers }) => headers['x-service-attempt'])).toEqual(['1', '2', '3']);
  });

  test('returns 404 if the delivery is unknown or belongs to another subscription', async () => {
    await newProduct(store);
    await until(() => receiver.received.length === 1);
    const [delivery] = await readLog(store, hook.id);
    const sibling = await subscribe(store, receiver.url);
    expectRejected(await store.post(`/webhooks/${sibling.id}/deliveries/${delivery!.id}/redeliver`, {}), 404);
    expectRejected(await store.post(`/webhooks/${hook.id}/deliveries/none/redeliver`, {}), 404);
  });
});
