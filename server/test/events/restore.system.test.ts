import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newProduct } from '../support/catalog.js';
import { expectRefusal } from '../support/expect-refusal.js';
import { type Feira, openFeira, type StoreClient } from '../support/feira.js';
import { order } from '../support/shop.js';

// A real dump and restore with PostgreSQL's own programs. PG_BIN says where they are.
const BIN = process.env.PG_BIN ?? '/usr/lib/postgresql/15/bin';

let folder: string;
let url: string;
let original: Feira;
let store: StoreClient;

/** PostgreSQL refuses to run as root. */
function asPostgres(program: string, ...args: string[]): string {
  const command = [join(BIN, program), ...args];
  const [file, ...rest] =
    process.getuid?.() === 0 ? ['runuser', '-u', 'postgres', '--', ...command] : command;
  return execFileSync(file!, rest, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'feira-restore-'));
  if (process.getuid?.() === 0) execFileSync('chown', ['postgres', folder]);
  const data = join(folder, 'data');
  asPostgres('initdb', '-D', data, '-A', 'trust', '-U', 'feira', '-E', 'UTF8', '--locale=C.UTF-8');
  const settings = `-c listen_addresses='' -c unix_socket_directories=${folder} -c fsync=off`;
  asPostgres('pg_ctl', '-D', data, '-w', '-l', join(folder, 'log'), '-o', settings, 'start');
  url = folder;
}, 60_000);
afterAll(async () => {
  await original?.close();
  asPostgres('pg_ctl', '-D', join(folder, 'data'), '-w', '-m', 'immediate', 'stop');
  rmSync(folder, { recursive: true, force: true });
});

async function createDatabase(name: string) {
  const client = new pg.Client({ host: url, user: 'feira', database: 'postgres' });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  return { host: url, port: 5432, user: 'feira', database: name };
}

interface Cursors {
  feed: string;
  orders: string;
}

async function cursorsOf(client: StoreClient): Promise<Cursors> {
  const feed = (await client.get('/events?limit=100')).body.meta.nextCursor;
  const orders = (await client.get('/orders?sort=updatedAt&limit=100')).body.meta.nextCursor;
  return { feed, orders };
}

test('cursors of before a dump go on after its restore, and later ones answer 410', {
  timeout: 180_000,
}, async () => {
  original = await openFeira({ connection: await createDatabase('original') });
  store = await original.store();
  const productId = await newProduct(store, { quantity: 100 });
  const buyOne = (feira: Feira) =>
    order(feira, store.workspaceId, { productId, variantId: null, quantity: 1 });
  await buyOne(original);
  const before = await cursorsOf(store);
  const dump = join(folder, 'dump');
  asPostgres('pg_dump', '-h', url, '-U', 'feira', '-Fc', '-f', dump, 'original');
  await buyOne(original);
  const lost = await cursorsOf(store);

  const connection = await createDatabase('restored');
  asPostgres('pg_restore', '-h', url, '-U', 'feira', '-d', 'restored', dump);
  const restored = await openFeira({ connection });
  try {
    const client = store.through(restored);
    for (const answer of [
      await client.get(`/events?after=${before.feed}`),
      await client.get(`/orders?cursor=${before.orders}`),
    ]) {
      expect(answer.status).toBe(200);
      expect(answer.body.data).toEqual([]);
    }
    await expectExpired(client, lost);

    const orders = [await buyOne(restored), await buyOne(restored)];
    const events = await client.get(`/events?after=${before.feed}&limit=100`);
    const placed = events.body.data.filter(({ event }: { event: string }) => event === 'order.created');
    expect(placed.map(({ data }: { data: { orderId: string } }) => data.orderId)).toEqual(orders);
    const changed = await client.get(`/orders?cursor=${before.orders}`);
    expect(changed.body.data.map(({ id }: { id: string }) => id)).toEqual(orders);
    // The new history is now longer than the old one was.
    await expectExpired(client, lost);
  } finally {
    await restored.close();
  }
});

async function expectExpired(client: StoreClient, { feed, orders }: Cursors): Promise<void> {
  for (const path of [`/events?after=${feed}`, `/orders?cursor=${orders}`]) {
    const answer = await client.get(path);
    expectRefusal(answer, 410);
    expect(answer.body.code).toBe('cursor_expired');
  }
}
