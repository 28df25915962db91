import { type ChildProcess, fork, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createApp } from 'feira/dist/oauth/apps.js';
import { setBudget } from 'feira/dist/oauth/budget.js';
import { createGrant, issueTokens } from 'feira/dist/oauth/tokens.js';
import { systemClock } from 'feira/dist/platform/clock.js';
import { openDatabase } from 'feira/dist/platform/db/database.js';
import { migrate } from 'feira/dist/platform/db/migrate.js';
import { sql } from 'feira/dist/platform/db/sql.js';
import { startEmbeddedPostgres } from 'feira/dist/platform/embedded-postgres/start.js';
import { createStore } from 'feira/dist/stores/stores.js';
import type { Arrival } from './deliveries-receiver.js';
import { serveArguments } from './processes.js';

// Measures webhooks end to end, with a PostgreSQL that syncs to disk: how many deliveries per second one worker makes
// from a backlog, and how long it takes from the commit of a change until its event arrives, while 100 changes per
// second are made.

const { values: options } = parseArgs({
  options: {
    backlog: { type: 'string', default: '30000' },
    stores: { type: 'string', default: '20' },
    rate: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '3' },
  },
});
const GOAL = { perSecond: 3_800, p50: 10, p99: 50 };
const SCOPES = ['products:write', 'stock:write', 'webhooks:manage'] as const;

const folder = mkdtempSync(join(process.env.BENCH_FOLDER ?? tmpdir(), 'feira-bench-'));
// If the benchmark runs as root, PostgreSQL runs under another account, which must be able to enter the folder.
chmodSync(folder, 0o711);
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const postgres = await startEmbeddedPostgres({ folder });
await migrate(postgres.connection);
const db = await openDatabase(postgres.connection);
const { host, user, database } = postgres.connection;
const env = {
  PATH: process.env.PATH,
  DATABASE_URL: `postgresql:///${database}?host=${encodeURIComponent(host)}&user=${user}`,
  PUBLIC_URL: 'http://localhost:3000',
  FEIRA_SECRET: randomBytes(32).toString('hex'),
  LOG_LEVEL: 'info',
};

const arrivals: Arrival[] = [];
const receiver = fork(fileURLToPath(new URL('./deliveries-receiver.js', import.meta.url)));
const [{ port: receiverPort }] = (await once(receiver, 'message')) as [{ port: number }];
receiver.on('message', (report: { arrivals: Arrival[] }) => void arrivals.push(...report.arrivals));

const api = await startApi();
const stores: Store[] = [];
while (stores.length < Number(options.stores)) stores.push(await makeStore(stores.length));
const rates: number[] = [];
for (let round = 0; round < Number(options.rounds); round++) rates.push(await drain());
const latency = await measureLatency();
const perSecond = median(rates);
console.log(
  `deliveries per second, one worker, backlog of ${options.backlog} over ${options.stores} stores:`,
);
console.log(
  `  ${rates.map(Math.round).join(', ')}; median ${Math.round(perSecond)} (goal ${GOAL.perSecond})`,
);
console.log(`from commit to arrival, at ${options.rate} changes per second, in ms:`);
console.log(
  `  since the response (lower bound): p50 ${latency.answer.p50}, p99 ${latency.answer.p99} (goal ${GOAL.p50}, ${GOAL.p99})`,
);
console.log(`  since the request (upper bound): p50 ${latency.request.p50}, p99 ${latency.request.p99}`);
receiver.kill();
await stop(api.child);
await db.close();
await postgres.close();
const met = perSecond >= GOAL.perSecond && latency.answer.p50 <= GOAL.p50 && latency.answer.p99 <= GOAL.p99;
process.exit(met ? 0 : 1);

async function drain(): Promise<number> {
  const each = Math.ceil(Number(options.backlog) / stores.length);
  arrivals.length = 0;
  for (const { workspaceId, productId } of stores) {
    await db.store('test').autocommit.query(sql`
      insert into outbox (workspace_id, event, data, origin)
      select ${workspaceId}, 'stock.updated', jsonb_build_object('id', ${productId}::text, 'quantity', n), 'system'
      from generate_series(1, ${each}) n`);
  }
  const worker = startWorker();
  while (arrivals.length < each * stores.length) await delay(20);
  await stop(worker);
  return arrivals.length / ((arrivals.at(-1)!.at - arrivals[0]!.at) / 1000);
}

/**
 * The commit happens between the request and its response. The time since the request is therefore an upper bound for
 * the latency, and the time since the response a lower bound.
 */
async function measureLatency() {
  const worker = startWorker();
  await delay(1_500);
  arrivals.length = 0;
  const total = Number(options.rate) * Number(options.seconds);
  const sent = new Map<string, number>();
  const answered = new Map<string, number>();
  const begun = now();
  const calls: Promise<void>[] = [];
  for (let i = 0; i < total; i++) {
    const due = begun + (i * 1000) / Number(options.rate);
    if (due > now()) await delay(due - now());
    calls.push(change(stores[i % stores.length]!, 1_000_000 + i, sent, answered));
  }
  await Promise.all(calls);
  while (arrivals.length < total) await delay(20);
  await stop(worker);
  const since = (times: Map<string, number>) =>
    quantiles(arrivals.map(({ at, body }) => Math.max(0, at - times.get(keyOf(JSON.parse(body).data))!)));
  return { request: since(sent), answer: since(answered) };
}

async function change(
  store: Store,
  quantity: number,
  sent: Map<string, number>,
  answered: Map<string, number>,
) {
  const key = keyOf({ id: store.productId, quantity });
  sent.set(key, now());
  const answer = await fetch(`${api.url}/api/v1/products/${store.productId}/stock`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${store.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ quantity }),
  });
  answered.set(key, now());
  if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
  await answer.arrayBuffer();
}

interface Store {
  workspaceId: string;
  productId: string;
  token: string;
}

async function makeStore(index: number): Promise<Store> {
  const owner = { ownerEmail: `${index}@store.example`, ownerPassword: 'correct horse' };
  const { workspaceId } = await db
    .store('test')
    .transaction((tx) => createStore(tx, { name: `Store ${index}`, ...owner }));
  const { clientId } = await createApp(db.store('test').autocommit, {
    name: 'ERP',
    redirectUris: ['https://erp.example/cb'],
  });
  await setBudget(db.store('test').autocommit, workspaceId, clientId, 1_000_000);
  const { access_token: token } = await db.store('test').transaction(async (tx) => {
    const grantId = await createGrant(tx, { workspaceId, clientId, userId: null, scopes: [...SCOPES] });
    return issueTokens(tx, systemClock, workspaceId, grantId, [...SCOPES]);
  });
  const post = async (path: string, body: object) => {
    const answer = await fetch(`${api.url}/api/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (answer.status !== 201) throw new Error(`${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as { id: string };
  };
  const { id: productId } = await post('/products', { name: 'Shirt', price: 1 });
  await post('/webhooks', { url: `http://127.0.0.1:${receiverPort}/${index}`, events: ['stock.updated'] });
  return { workspaceId, productId, token };
}

async function startApi(): Promise<{ url: string; child: ChildProcess }> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = startFeira(['--role', 'api', '--port', String(port)]);
  while (!(await fetch(`${url}/healthz`).catch(() => undefined))) {
    if (child.exitCode !== null) throw new Error('the API process exited');
    await delay(50);
  }
  return { url, child };
}

function startWorker(): ChildProcess {
  return startFeira(['--role', 'worker']);
}

function startFeira(args: string[]): ChildProcess {
  const log = openSync(join(folder, 'feira.log'), 'a');
  return spawn(process.execPath, serveArguments(args), { env, stdio: ['ignore', log, log] });
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

function keyOf({ id, quantity }: { id: string; quantity: number }): string {
  return `${id} ${quantity}`;
}

function now(): number {
  return performance.timeOrigin + performance.now();
}

function quantiles(values: number[]): { p50: number; p99: number } {
  const sorted = values.sort((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.floor(sorted.length * share)]! * 10) / 10;
  return { p50: at(0.5), p99: at(0.99) };
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
