import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { expectErrorShape, expectRejected } from '../../support/expect-rejected.js';
import { type Answer, type Feira, openFeira, type StoreClient } from '../../support/feira.js';
import { until } from '../../support/process.js';

let feira: Feira;
let store: StoreClient;
let lines: Record<string, unknown>[] = [];
const LOGGED = { logTo: { write: (line: string) => void lines.push(JSON.parse(line)) } };

beforeAll(async () => {
  feira = await openFeira(LOGGED);
  store = await feira.store();
});
afterAll(() => feira.close());
beforeEach(() => {
  lines = [];
});

/** Sends these bytes, waits until the server closes the connection, and returns all responses. */
async function exchange(bytes: string, { app } = feira): Promise<Answer[]> {
  if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' });
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (text) => {
    received += text;
  });
  socket.on('error', () => {});
  socket.write(bytes);
  await once(socket, 'close');
  return answersIn(received);
}

function answersIn(received: string): Answer[] {
  if (received === '') return [];
  const end = received.indexOf('\r\n\r\n');
  const [start, ...fields] = received.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(
    fields.map((field) => [
      field.slice(0, field.indexOf(':')).toLowerCase(),
      field.slice(field.indexOf(':') + 2),
    ]),
  );
  const length = Number(headers['content-length']);
  const body = received.slice(end + 4, end + 4 + length);
  const answer = {
    status: Number(start?.split(' ')[1]),
    headers,
    body: body === '' ? undefined : JSON.parse(body),
  };
  return [answer, ...answersIn(received.slice(end + 4 + length))];
}

const linesOf = ({ headers }: Answer) =>
  lines.filter(({ requestId }) => requestId === headers['x-request-id']);

/** Expects exactly one response in the error format, and one log line. */
async function expectRefused(
  bytes: string,
  status: number,
  code: string,
  logged: object = {},
  server = feira,
): Promise<void> {
  const answers = await exchange(bytes, server);
  expect(answers).toHaveLength(1);
  const [answer] = answers as [Answer];
  expectRejected(answer, status);
  expect(answer.body.code).toBe(code);
  expect(answer.headers.connection).toBe('close');
  await until(() => linesOf(answer).length > 0);
  expect(linesOf(answer)).toEqual([expect.objectContaining({ status, ...logged })]);
}

test('a request head of more than 16 kB is rejected with 431', async () => {
  await expectRefused(`GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431, 'head_too_large');
});

test.each([
  'FLY / HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET / HTTP/1.1\r\nHost x\r\n\r\n',
  'GET / HTTP/9.9\r\nHost: x\r\n\r\n',
  'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: two\r\n\r\n',
  '\x16\x03\x01 a TLS ClientHello',
])('%j is rejected with 400', async (bytes) => {
  await expectRefused(bytes, 400, 'bad_request');
});

test('an HTTP/1.1 request without Host is rejected with 400, and an HTTP/1.0 request is not', async () => {
  const path = '/healthz';
  await expectRefused(`GET ${path} HTTP/1.1\r\nConnection: close\r\n\r\n`, 400, 'bad_request', { path });
  expect(await exchange(`GET ${path} HTTP/1.0\r\n\r\n`)).toMatchObject([{ status: 200 }]);
});

test('an unknown value of Expect is rejected with 417', async () => {
  const path = '/healthz';
  const head = `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: foo\r\n\r\n`;
  await expectRefused(head, 417, 'expectation_failed', { path });
});

test('a head or a body that does not arrive in time is rejected with 408', async () => {
  const shortTimeout = await openFeira({ ...LOGGED, on: feira });
  // connectionsCheckingInterval must be set now, because the server reads it only when it begins to listen.
  Object.assign(shortTimeout.app.server, {
    headersTimeout: 100,
    requestTimeout: 100,
    connectionsCheckingInterval: 20,
  });
  await expectRefused('GET / HTTP/1.1\r\nHos', 408, 'request_timeout', {}, shortTimeout);
  // With these longer timeouts, the head is read in time even on a busy machine.
  Object.assign(shortTimeout.app.server, { headersTimeout: 1_500, requestTimeout: 1_500 });
  const logged = { path: '/api/v1/products', workspaceId: store.workspaceId };
  await expectRefused(post(100, '{"name"'), 408, 'request_timeout', logged, shortTimeout);
  await shortTimeout.close();
});

test('a body with malformed chunks is rejected with 400', async () => {
  const head = post(0, '').replace('Content-Length: 0', 'Transfer-Encoding: chunked');
  await expectRefused(`${head}4\r\n{"na\r\nx\r\n`, 400, 'bad_request');
});

test('a malformed request that follows two valid ones is rejected after both are answered', async () => {
  const good = ['One', 'Two'].map((name) => JSON.stringify({ name, price: 1 }));
  const answers = await exchange(`${good.map((body) => post(body.length, body)).join('')}nonsense\r\n\r\n`);
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 400]);
  expectErrorShape(answers[2]!);
});

function post(length: number, body: string): string {
  return `POST /api/v1/products HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${store.token}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;
}
