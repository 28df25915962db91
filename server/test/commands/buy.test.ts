import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { command as buy } from '../../src/commands/buy.js';
import { command as scan } from '../../src/commands/carrier-scan.js';
import { UsageError, type Values } from '../../src/commands/command.js';
import { cancel, pay, refund } from '../../src/commands/gateway.js';
import { command as simulate } from '../../src/commands/simulate.js';
import { startWorker, type Worker } from '../../src/worker.js';
import { newProduct, newVaried } from '../support/catalog.js';
import { runCommand } from '../support/command-line.js';
import { databaseEnv } from '../support/database.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { until } from '../support/process.js';
import { Receiver } from '../support/receiver.js';

// The commands run next to a server and its worker on the same database, with their own connections.
const COMMANDS = { buy, pay, cancel, refund, scan, simulate };
let feira: Feira;
let worker: Worker;
let receiver: Receiver;
let store: StoreClient;
let env: Record<string, string>;

beforeAll(async () => {
  feira = await openFeira();
  worker = startWorker(feira.context);
  receiver = await Receiver.open();
  env = {
    ...databaseEnv(feira.connection, 'a secret for tests, known to everybody who reads them'),
    PUBLIC_URL: 'http://localhost:3000',
  };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await worker.stop();
  await receiver.close();
  await feira.close();
});
beforeEach(async () => {
  store = await feira.store();
});

/** Runs a command without the command line: takes its parsed options and returns its result. */
async function run(name: keyof typeof COMMANDS, values: Values) {
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any shape and asserts on it
  return (await COMMANDS[name].run(values)) as any;
}

async function mistake(name: keyof typeof COMMANDS, values: Values): Promise<string> {
  const error = await run(name, values).then(
    () => undefined,
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(UsageError);
  return error.message;
}

const orderOf = async (id: string) => (await store.get(`/orders/${id}`)).body;

test('simulated buyers buy one unit each and pay, and the webhooks are sent', async () => {
  const shirt = await newVaried(store, { S: 3, L: 3 });
  await store.post('/webhooks', { url: receiver.url, events: ['order.created', 'order.paid'] });
  const args = ['buy', '--store', store.workspaceId, '--count', '4', '--product', shirt, '--json'];
  const { code, stdout, stderr } = await runCommand(args, env);
  expect(code, stderr).toBe(0);
  const { orders } = JSON.parse(stdout) as { orders: string[] };
  expect(new Set(orders).size).toBe(4);
  for (const id of orders)
    expect(await orderOf(id)).toMatchObject({
      status: 'paid',
      items: [{ productId: shirt, variantId: expect.any(String), quantity: 1 }],
      customer: { document: expect.stringMatching(/^\d{11}$/) },
    });
  expect((await store.get(`/products/${shirt}`)).body.quantity).toBe(2);
  await until(() => receiver.bodies('order.paid').length === 4);
  expect(
    receiver
      .bodies('order.created')
      .map(({ data }) => data.orderId)
      .sort(),
  ).toEqual(orders);
});

test('a flag needs no value, and the error for an invalid --status names the allowed values', async () => {
  await newProduct(store, { quantity: 1 });
  const unpaid = await runCommand(['buy', '--no-pay', '--store', store.workspaceId, '--json'], env);
  expect((await orderOf(JSON.parse(unpaid.stdout).orders[0])).status).toBe('pending');
  const wrong = await runCommand(['carrier', 'scan', '--code', 'NONE', '--status', 'lost'], env);
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain('--status must be one of sent, in_transit, delivered, returned');
});

test('buyers stop when everything is sold out, and the command fails if nothing is in stock or an option is invalid', async () => {
  const { workspaceId } = store;
  await newProduct(store, { quantity: 2 });
  expect((await run('buy', { store: workspaceId, count: '5' })).orders).toHaveLength(2);
  expect(await mistake('buy', { store: workspaceId })).toContain('no product in stock');
  expect(await mistake('buy', { store: 'x' })).toContain('No store has the slug or workspaceId "x"');
  expect(await mistake('buy', { store: workspaceId, product: 'x' })).toContain('Product x was not found');
  expect(await mistake('buy', { store: workspaceId, count: '0' })).toContain('--count');
});

test('the gateway commands pay, refund in part and in full, and cancel', async () => {
  const mug = await newProduct(store, { quantity: 5 });
  const { orders } = await run('buy', { store: store.workspaceId, count: '2', 'no-pay': true });
  const [first, second] = orders as [string, string];
  expect((await orderOf(first)).status).toBe('pending');
  expect(await run('pay', { order: first })).toEqual({ orderId: first, status: 'paid', refundedAmount: 0 });
  expect(await run('refund', { order: first, amount: '1.50' })).toEqual({
    orderId: first,
    status: 'partial_refunded',
    refundedAmount: 1.5,
  });
  expect(await mistake('refund', { order: first, amount: '9999' })).toContain('balance');
  const { total } = await orderOf(first);
  expect(await run('refund', { order: first })).toEqual({
    orderId: first,
    status: 'refunded',
    refundedAmount: total,
  });
  expect((await run('cancel', { order: second })).status).toBe('canceled');
  expect((await store.get(`/products/${mug}`)).body.quantity).toBe(4);
  expect(await mistake('pay', { order: second })).toContain('already canceled');
  expect(await mistake('pay', { order: 'x' })).toContain('No payment found');
  for (const amount of ['0', '-1', '1.555', 'x'])
    expect(await mistake('refund', { order: first, amount })).toContain('--amount');
});

test('carrier scan advances a parcel to the next status or to a given one', async () => {
  await newProduct(store, { quantity: 5 });
  const { orders } = await run('buy', { store: store.workspaceId });
  const { code } = (await store.post('/shipments', { orderId: orders[0] })).body;
  expect(await run('scan', { code })).toEqual({ code, statusShipping: 'sent' });
  expect((await run('scan', { code, status: 'delivered' })).statusShipping).toBe('delivered');
  expect((await store.get(`/shipments/${code}/tracking`)).body.events).toMatchObject([
    { status: 'delivered', location: expect.any(String) },
    { status: 'sent' },
  ]);
  expect(await mistake('scan', { code, status: 'sent' })).toContain('cannot change to sent');
  expect(await mistake('scan', { code: 'NONE' })).toContain('No shipment has the code NONE');
});

test('a scan needs --store if two stores use the same shipment code', async () => {
  const other = await feira.store();
  for (const each of [store, other]) {
    await newProduct(each, { quantity: 1 });
    const { orders } = await run('buy', { store: each.workspaceId });
    await each.patch(`/orders/${orders[0]}/shipping-status`, {
      statusShipping: 'sent',
      codeShipping: 'TWICE',
    });
  }
  expect(await mistake('scan', { code: 'TWICE' })).toContain('--store');
  const moved = await run('scan', { code: 'TWICE', store: other.workspaceId });
  expect(moved.statusShipping).toBe('in_transit');
});

test('a purchase is reported as text', async () => {
  await newProduct(store, { name: 'Mug', quantity: 1 });
  const { stdout } = await runCommand(['buy', '--store', store.workspaceId], env);
  expect(stdout).toMatch(
    /^Order \d+: .+, .+: 1 × Mug, R\$ \d+\.\d\d by (pix|card|boleto), paid\. Id [0-9a-f-]{36}$/m,
  );
});

test('a simulation restocks sold-out products unless this is disabled', async () => {
  const mug = await newProduct(store, { quantity: 0 });
  const stock = async () => (await store.get(`/products/${mug}`)).body.quantity;
  const short = { store: store.workspaceId, rate: '20/s', for: '1s' };
  expect(await run('simulate', { ...short, 'no-restock': true })).toMatchObject({ orders: 0, restocked: 0 });
  expect(await stock()).toBe(0);
  const { restocked } = await run('simulate', short);
  expect(restocked).toBeGreaterThan(0);
  expect(await stock()).toBeGreaterThan(0);
});

test('a simulation creates orders and payments, and rejects an invalid rate', async () => {
  await newProduct(store, { quantity: 1000 });
  const counts = await run('simulate', { store: store.workspaceId, rate: '20/s', for: '2s' });
  expect(counts.orders).toBeGreaterThan(5);
  expect(counts.paid).toBeGreaterThan(0);
  expect((await store.get('/orders')).body.meta.total).toBe(counts.orders);
  for (const rate of ['2', '0/s', 'x/s', '-1/s', '2/d'])
    expect(await mistake('simulate', { store: store.workspaceId, rate })).toContain('--rate');
});

test('while a lock blocks every checkout, a simulation counts the buyers who gave up, and buy fails with the code busy', async () => {
  await newProduct(store, { quantity: 10 });
  const blocker = new pg.Client(feira.connection);
  await blocker.connect();
  try {
    await blocker.query('begin');
    // Every order takes its number from this row, so the lock blocks the checkout.
    await blocker.query('select from workspaces where id = $1 for update', [store.workspaceId]);
    const [counts, bought] = await Promise.all([
      run('simulate', { store: store.workspaceId, rate: '1/s', for: '1s' }),
      runCommand(['buy', '--store', store.workspaceId, '--json'], env),
    ]);
    expect(counts).toMatchObject({ orders: 0, gaveUp: 1 });
    expect([bought.code, JSON.parse(bought.stderr).code]).toEqual([1, 'busy']);
  } finally {
    await blocker.end();
  }
});
