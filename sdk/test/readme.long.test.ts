import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newWebhookSecret } from '../../server/src/webhooks/signing.js';
import { registerApp } from '../../server/test/support/integrator.js';
import { Merchant, openStore } from '../../server/test/support/merchant.js';
import { freePort, ROOT, temporaryFolder, until } from '../../server/test/support/process.js';
import { sign } from '../src/testing.js';
import { type LiveServer, openLiveServer } from './support/live-server.js';

// Every block of JavaScript in the README runs as it is printed, as a program of its own.
const README = readFileSync(join(ROOT, 'sdk/README.md'), 'utf8');
const BLOCKS = [...README.matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code!);
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

function start(code: string, name: string, more: Record<string, string> = {}) {
  const file = join(folder.path, name);
  writeFileSync(file, code);
  const child = spawn(process.execPath, [file], { cwd: folder.path, env: { ...env, ...more } });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  return { child, output: () => output };
}

async function ended(child: ChildProcess): Promise<number> {
  return child.exitCode ?? (await once(child, 'exit'))[0];
}

/** Runs a program that listens, while `use` talks to it. */
async function whileListening(
  code: string,
  name: string,
  use: (url: string) => Promise<void>,
): Promise<string> {
  const PORT = String(await freePort());
  const { child, output } = start(code, name, { PORT });
  const url = `http://127.0.0.1:${PORT}`;
  try {
    await until(
      async () =>
        (await fetch(`${url}/nothing`, { method: 'POST' }).catch(() => undefined)) !== undefined ||
        child.exitCode !== null,
    );
    await use(url);
  } finally {
    child.kill();
    await ended(child);
  }
  return output();
}

const OUTPUT: [RegExp, RegExp][] = [
  [/CAFE-500/, /Camiseta Básica 0\nCaneca Esmaltada 40\nStock is in sync/],
  [/camiseta/, /^1 1\n.*Store \d+ \d+/s],
  [/NO-SUCH-SKU/, /^28 1 unknown_sku\nhttp/],
  [/price: -1/, /status: 422.*\nname .*\nprice /s],
  [/snapshot\(/, /stock\.updated/],
];

test('the README has blocks to run', () => {
  expect(BLOCKS.length).toBeGreaterThanOrEqual(9);
  for (const [block] of OUTPUT) expect(BLOCKS.filter((code) => block.test(code))).toHaveLength(1);
});

test.each(BLOCKS.map((code, index) => [index + 1, code] as const))(
  'block %i of the README works as printed',
  async (index, code) => {
    const name = `block-${index}.mjs`;
    if (code.includes('hooks.node).listen')) return receivesWebhooks(code, name);
    if (code.includes('app.connected')) return connectsStores(code, name);
    if (code.includes('pg.Pool')) return keepsTokens(code, name);
    const { child, output } = start(code, name);
    expect(await ended(child), output()).toBe(0);
    const expected = OUTPUT.find(([block]) => block.test(code))?.[1];
    if (expected) expect(output()).toMatch(expected);
  },
);

async function receivesWebhooks(code: string, name: string): Promise<void> {
  const output = await whileListening(code, name, async (url) => {
    const signed = await sign(
      { event: 'order.paid', data: { orderId: 'o1' }, workspaceId: 'w1' },
      env.WEBHOOK_SECRET!,
    );
    expect((await fetch(url, { method: 'POST', ...signed })).status).toBe(204);
  });
  expect(output).toContain('Order o1 of w1 is paid');
}

async function connectsStores(code: string, name: string): Promise<void> {
  const workspaceId = await openStore(server);
  const merchant = new Merchant(server.app);
  await merchant.signIn();
  await whileListening(code, name, async (url) => {
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

/** Two locks of one store exclude each other, also on separate connections. */
async function keepsTokens(code: string, name: string): Promise<void> {
  writeFileSync(join(folder.path, name), code);
  const client = new pg.Client(server.connection);
  await client.connect();
  await client.query(TABLE!);
  await client.end();
  const program = `
    import { tokens } from './${name}';
    import { tokens as other } from './${name}?another';
    const set = { accessToken: 'a', refreshToken: 'r', expiresAt: 'e', scope: 's' };
    await tokens.set('w1', set);
    const order = [];
    const hold = (store, who) => store.lock('w1', async () => {
      order.push(who);
      await store.get('w1');
      order.push(who);
    });
    await Promise.all([hold(tokens, 1), hold(other, 2), hold(tokens, 1), hold(other, 2)]);
    const pairs = order.filter((who, index) => index % 2 === 0 && who === order[index + 1]).length;
    console.log(JSON.stringify({ pairs, saved: await other.get('w1'), none: await tokens.get('w2') ?? null }));
    process.exit();`;
  const { child, output } = start(program, `use-${name}`);
  expect(await ended(child), output()).toBe(0);
  expect(JSON.parse(output())).toEqual({
    pairs: 4,
    saved: { accessToken: 'a', refreshToken: 'r', expiresAt: 'e', scope: 's' },
    none: null,
  });
}
