import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitBefore } from '../../src/webhooks/backoff.js';
import { startWorker, type Worker } from '../../src/worker.js';
import { newProduct } from '../support/catalog.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { freePort, until } from '../support/process.js';
import { type Received, Receiver } from '../support/receiver.js';
import {
  type LoggedDelivery,
  pass,
  readLog,
  type Subscription,
  stopTime,
  subscribe,
} from '../support/webhooks.js';

// Receivers that are supposed to time out get their deliveries from a separate server with a short timeout. For all
// others the timeout is longer than the test, so that no attempt times out on a busy machine.
const SHORT_TIMEOUT_MS = 1_500;
const LONG_TIMEOUT_MS = 600_000;
const WAITS_MS = [5_000, 75_000, 1_125_000, 16_875_000];

/** Ways in which a delivery fails, each with the expected log entry. */
const WAYS: Record<
  string,
  { answer?: (response: ServerResponse, socket: Socket) => void; code: number | null; error: string }
> = {
  'answers 500': { answer: (r) => void r.writeHead(500).end('no'), code: 500, error: 'bad_status' },
  'answers 410': { answer: (r) => void r.writeHead(410).end(), code: 410, error: 'bad_status' },
  'answers 301': {
    answer: (r) => void r.writeHead(301, { location: `${elsewhere.url}/moved` }).end(),
    code: 301,
    error: 'redirect',
  },
  'answers 307': {
    answer: (r) => void r.writeHead(307, { location: `${elsewhere.url}/moved` }).end(),
    code: 307,
    error: 'redirect',
  },
  'answers 304': { answer: (r) => void r.writeHead(304).end(), code: 304, error: 'redirect' },
  'resets the connection': { answer: (_, s) => s.resetAndDestroy(), code: null, error: 'connection_reset' },
  'closes the connection without a response': {
    answer: (_, s) => void s.end(),
    code: null,
    error: 'connection_reset',
  },
  'does not send HTTP': {
    answer: (_, s) => void s.end('220 mail.example ESMTP\r\n'),
    code: null,
    error: 'invalid_response',
  },
  'never answers': { answer: () => {}, code: null, error: 'timeout' },
  'stops within its headers': {
    answer: (_, s) => void s.write('HTTP/1.1 200 OK\r\nContent-'),
    code: null,
    error: 'timeout',
  },
  'sends its body very slowly': { answer: (r) => drip(r.writeHead(200)), code: 200, error: 'timeout' },
  'sends its headers very slowly': {
    answer: (_, s) => drip(s, 'HTTP/1.1 200 OK\r\nX: '),
    code: null,
    error: 'timeout',
  },
  'never stops sending': { answer: (r) => pour(r.writeHead(200)), code: 200, error: 'response_too_large' },
  'sends less than its Content-Length': {
    answer: (r, s) => r.writeHead(200, { 'content-length': 10 }).write('half', () => s.end()),
    code: 200,
    error: 'connection_reset',
  },
  // This case is the last one, because a receiver opened after it could get the port that must refuse connections.
  'refuses the connection': { code: null, error: 'connection_refused' },
};

let servers: { feira: Feira; worker: Worker }[];
let elsewhere: Receiver;
const losses = new Map<
  string,
  { store: StoreClient; hook: Subscription; received: Received[]; log: LoggedDelivery }
>();

// All cases run in parallel. Five times, the loop waits until the next attempt is in the log of every case, and then
// moves the clocks of both servers.
beforeAll(async () => {
  servers = [];
  for (const timeoutMs of [LONG_TIMEOUT_MS, SHORT_TIMEOUT_MS]) {
    const feira = await openFeira({ webhooks: { timeoutMs } });
    stopTime(feira);
    servers.push({ feira, worker: startWorker(feira.context) });
  }
  const [patient, impatient] = servers.map(({ feira }) => feira) as [Feira, Feira];
  elsewhere = await Receiver.open();
  const receivers = new Map<string, Receiver>();
  for (const [name, { answer, error }] of Object.entries(WAYS)) {
    const store = await (error === 'timeout' ? impatient : patient).store();
    const receiver = await Receiver.open();
    if (answer) receiver.answer = (_, response, raw) => answer(response, raw.socket);
    receivers.set(name, receiver);
    const url = answer ? `${receiver.url}/hook` : `http://127.0.0.1:${await freePort()}/`;
    const hook = await subscribe(store, url);
    await newProduct(store, { name });
    losses.set(name, { store, hook, received: receiver.received, log: {} as LoggedDelivery });
  }
  for (let attempt = 1; attempt <= 5; attempt++) {
    for (const loss of losses.values()) {
      await until(async () => {
        loss.log = (await readLog(loss.store, loss.hook.id))[0]!;
        return loss.log.attempts.length === attempt;
      });
    }
    for (const { feira } of servers) pass(feira, 1.2 * (WAITS_MS[attempt - 1] ?? 100 * WAITS_MS[3]!));
  }
  for (const { feira } of servers) await somethingElseArrives(feira);
  for (const loss of losses.values()) loss.log = (await readLog(loss.store, loss.hook.id))[0]!;
  for (const receiver of receivers.values()) await receiver.close();
});
afterAll(async () => {
  for (const { worker } of servers) await worker.stop();
  await elsewhere.close();
  for (const { feira } of servers) await feira.close();
});

/** Causes another delivery and waits for it. By then, the dispatcher has checked all due deliveries again. */
async function somethingElseArrives(feira: Feira): Promise<void> {
  const healthy = await feira.store();
  await subscribe(healthy, `${elsewhere.url}/${healthy.workspaceId}`);
  await newProduct(healthy);
  await until(() => elsewhere.received.some(({ path }) => path === `/${healthy.workspaceId}`));
}

describe.each(Object.keys(WAYS))('a receiver that %s', (name) => {
  test('gets exactly five numbered attempts with the same body and X-Service-Delivery', () => {
    const { received, log } = losses.get(name)!;
    expect(log).toMatchObject({ status: 'failed', nextAttemptAt: null });
    expect(log.attempts.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5]);
    if (!WAYS[name]!.answer) return;
    expect(received.map(({ headers }) => headers['x-service-attempt'])).toEqual(['1', '2', '3', '4', '5']);
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
    expect(new Set(received.map(({ headers }) => headers['x-service-delivery']))).toEqual(
      new Set([log.eventId]),
    );
  });

  test('has the reason for each failed attempt in its log', () => {
    const { code, error } = WAYS[name]!;
    for (const attempt of losses.get(name)!.log.attempts) {
      expect(attempt).toMatchObject({ statusCode: code, error });
    }
  });

  test('gets no retry before the minimum wait has passed', () => {
    const times = losses.get(name)!.log.attempts.map(({ at }) => Date.parse(at));
    for (const [i, wait] of WAITS_MS.entries())
      expect(times[i + 1]! - times[i]!).toBeGreaterThanOrEqual(0.8 * wait);
  });

  test('keeps its subscription active after one failed delivery', async () => {
    const { store, hook } = losses.get(name)!;
    const { body } = await (await store.withScopes(['webhooks:manage'])).get('/webhooks');
    expect(body.data).toMatchObject([{ id: hook.id, status: 'active', lastDeliveryAt: null }]);
  });
});

test('no redirect was followed', () => {
  expect(elsewhere.received.filter(({ path }) => path === '/moved')).toEqual([]);
});

test('the waits between attempts are 5 s × 15ⁿ, plus or minus 20%', () => {
  const backoff = { firstMs: 5_000, factor: 15 };
  for (const [i, wait] of WAITS_MS.entries()) {
    expect(waitBefore(i + 2, backoff, 0)).toBe(0.8 * wait);
    expect(waitBefore(i + 2, backoff, 0.5)).toBe(wait);
    expect(waitBefore(i + 2, backoff, 1)).toBe(1.2 * wait);
  }
});

/** Sends single bytes slowly. They must not extend the deadline of an attempt. */
function drip(
  to: { write(text: string): unknown; on(event: 'close' | 'error', then: () => void): unknown },
  head = 'x',
): void {
  to.write(head);
  const timer = setInterval(() => to.write('x'), 40);
  to.on('error', () => clearInterval(timer));
  to.on('close', () => clearInterval(timer));
}

function pour(response: ServerResponse): void {
  const chunk = Buffer.alloc(16_384, 'x');
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more);
  response.on('error', () => {});
  more();
}
