import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/platform/db/sql.js';
import { newProduct } from '../support/catalog.js';
import { runCommand } from '../support/command-line.js';
import { databaseEnv } from '../support/database.js';
import { type Feira, openFeira, type StoreClient, TEST_SECRET } from '../support/feira.js';

let feira: Feira;
let store: StoreClient;
let slug: string;
let env: Record<string, string>;

beforeAll(async () => {
  feira = await openFeira();
  store = await feira.store();
  env = databaseEnv(feira.connection, TEST_SECRET);
  const [row] = await feira.context.db
    .store('test')
    .query<{ slug: string }>(sql`select slug from workspaces where id = ${store.workspaceId}`);
  slug = row!.slug;
});
afterAll(() => feira.close());

const listed = async (args: string[]) => JSON.parse((await runCommand([...args, '--json'], env)).stdout);

test('store list and app list show every store and app, as a table or as JSON', async () => {
  expect(await listed(['store', 'list'])).toEqual({
    stores: [
      {
        workspaceId: store.workspaceId,
        slug,
        name: 'Store 1',
        ownerEmail: 'owner@store.example',
        createdAt: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T/),
      },
    ],
  });
  expect((await listed(['app', 'list'])).apps).toEqual([
    expect.objectContaining({ clientId: store.clientId, redirectUris: ['https://erp.example/callback'] }),
  ]);
  const stores = (await runCommand(['store', 'list'], env)).stdout.split('\n');
  expect(stores[0]).toMatch(/^SLUG +WORKSPACE ID +NAME +OWNER +CREATED$/);
  expect(stores[1]).toMatch(new RegExp(`^${slug} +${store.workspaceId} +Store 1 +owner@store.example`));
  expect((await runCommand(['app', 'list'], env)).stdout).toMatch(
    new RegExp(`^CLIENT ID +NAME.*\n${store.clientId} +App of store 1`),
  );
});

test('--store accepts the slug as well as the id', async () => {
  await newProduct(store, { quantity: 3 });
  for (const reference of [slug, store.workspaceId]) {
    const client = ['--client-id', store.clientId];
    const token = await listed(['token', 'issue', '--store', reference, ...client, '--scope', 'orders:read']);
    expect(token.scope).toBe('orders:read');
    expect((await listed(['buy', '--store', reference])).orders).toHaveLength(1);
    expect(await listed(['store', 'limits', '--store', reference])).toMatchObject({ maxUnitsPerLine: 100 });
  }
});

test('with --json every error is one line of JSON with a code, and the exit code is 1', async () => {
  const buy = ['buy', '--count', '1', '--store'];
  const failures: [string[], string, Record<string, string>?][] = [
    [['bake'], 'invalid_usage'],
    [['buy'], 'invalid_usage'],
    [['buy', '--colour', 'red'], 'invalid_usage'],
    [[...buy, 'no-such-store'], 'store_not_found'],
    [['token', 'issue', '--store', slug, '--client-id', 'x', '--scope', 'orders:read'], 'app_not_found'],
    [['gateway', 'pay', '--order', 'x'], 'payment_not_found'],
    [['store', 'list'], 'invalid_configuration', { PORT: 'x' }],
    [['store', 'list'], 'database_unreachable', { DATABASE_URL: 'postgres://feira@127.0.0.1:1/none' }],
  ];
  for (const [args, code, more] of failures) {
    const result = await runCommand([...args, '--json'], { ...env, ...more });
    expect([args, result.code, result.stdout]).toEqual([args, 1, '']);
    expect(JSON.parse(result.stderr)).toEqual({ error: expect.stringMatching(/\w/), code });
  }
});
