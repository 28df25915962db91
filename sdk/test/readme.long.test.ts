import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newWebhookSecret } from '../../server/src/webhooks/signing.js';
import { registerApp } from '../../server/test/support/integrator.js';
import { Merchant, openStore } from '../../server/test/support/merchant.js';
import { ROOT, temporaryFolder } from '../../server/test/support/process.js';
import { type LiveServer, openLiveServer } from './support/live-server.js';
import { type Program, startProgram, whileListening } from './support/program.js';
import { BLOCKS, README, RUN_ELSEWHERE } from './support/readme.js';
import { expectTokenStore } from './support/recipe.js';
import { expectReceivedWebhook } from './support/webhook-program.js';

const [, TABLE] = /```sql\n(.*?)```/s.exec(README)!;

const folder = temporaryFolder();
let server: LiveServer;
let env: Record<string, string>;
beforeAll(async () => {
  server = await openLiveServer();
  symlinkSync(join(ROOT, 'node_modules'), join(folder.path, 'node_modules'));
  const { client, store } = await server.connect();
  await client.products.create({ name: 'Caneca Esmaltada', price: 34.9, quantity: 40, sku: 'CAN-ESM' });
  await client.products.create({ name: 'Café em Grãos 500 g', price: 42, quantity: 120, sku: 'CAFE-500' });
  const { id } = await client.products.create({ name: 'Camiseta Básica', price: 79.9 });
  await client.variants.put(id, {
    types: [{ name: 'Cor', options: ['Azul'] }],
    combinations: [{ options: ['Azul'] }],
  });
  const { clientId, clientSecret } = await registerApp(server, {
    redirectUris: ['http://localhost:8080/callback'],
  });
  const { host, user, database } = server.connection;
  env = {
    PATH: process.env.PATH ?? '',
    FEIRA_URL: server.url,
    FEIRA_TOKEN: store.token,
    FEIRA_CLIENT_ID: clientId,
    FEIRA_CLIENT_SECRET: clientSecret,
    WEBHOOK_SECRET: newWebhookSecret(),
    DATABASE_URL: `postgresql:///${database}?host=${encodeURIComponent(host)}&user=${user}`,
  };
});
afterAll(async () => {
  await server.close();
  folder.remove();
});

function start(code: string, name: string, more: Record<string, string> = {}): Program {
  return startProgram(folder.path, name, code, { ...env, ...more });
}

const OUTPUT: [RegExp, RegExp][] = [
  [/CAFE-500/, /Camiseta Básica 0\nCaneca Esmaltada 40\nStock is in sync/],
  [/camiseta/, /^1 1\n.*Store \d+ \d+/s],
  [/NO-SUCH-SKU/, /^28 1 unknown_sku\nhttp/],
  [/price: -1/, /status: 422.*\nname .*\nprice /s],
  [/snapshot\(/, /stock\.updated/],
];

test('the README has at least nine JavaScript blocks, and each expected output belongs to exactly one of them', () => {
  expect(BLOCKS.length).toBeGreaterThanOrEqual(9);
  for (const [block] of OUTPUT) expect(BLOCKS.filter((code) => block.test(code))).toHaveLength(1);
});

const HERE = BLOCKS.map((code, index) => [index + 1, code] as const).filter(
  ([, code]) => !Object.values(RUN_ELSEWHERE).some((pattern) => pattern.test(code)),
);

test.each(HERE)('JavaScript block %i of the README works as printed', async (index, code) => {
  const name = `block-${index}.mjs`;
  if (/new Webhooks.*listen\(/s.test(code)) return receivesWebhooks(code, name);
  if (code.includes('app.connected')) return connectsStores(code, name);
  if (code.includes('pg.Pool')) return keepsTokens(code);
  const { ended, output } = start(code, name);
  expect(await ended(), output()).toBe(0);
  const expected = OUTPUT.find(([block]) => block.test(code))?.[1];
  if (expected) expect(output()).toMatch(expected);
});

async function receivesWebhooks(code: string, name: string): Promise<void> {
  await expectReceivedWebhook((PORT) => start(code, name, { PORT }), env.WEBHOOK_SECRET!);
}

async function connectsStores(code: string, name: string): Promise<void> {
  const workspaceId = await openStore(server);
  const merchant = new Merchant(server.app);
  await merchant.signIn();
  const program = (PORT: string) => start(code, name, { PORT });
  await whileListening(program, async (url) => {
    const { pathname, search } = new URL(
      (await fetch(`${url}/connect`, { redirect: 'manual' })).headers.get('location')!,
    );
    const { location } = await merchant.press(await merchant.get(pathname + search), 'Approve');
    const callback = new URL(location!);
    expect(callback.host).toBe('localhost:8080');
    const response = await fetch(`${url}${callback.pathname}${callback.search}`);
    expect(await response.text()).toBe(`Connected ${workspaceId}: Loja da Ana`);
  });
}

async function keepsTokens(code: string): Promise<void> {
  const client = new pg.Client(server.connection);
  await client.connect();
  await client.query(TABLE!);
  await client.end();
  await expectTokenStore(folder.path, code, env);
}
