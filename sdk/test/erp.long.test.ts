import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  type CommandProcess,
  feiraCommand,
  freePort,
  hasExited,
  ROOT,
  startCommand,
  temporaryFolder,
  until,
} from '../../server/test/support/process.js';
import { Feira } from '../src/client.js';
import { merchantAt } from './support/http-merchant.js';

/** For how many seconds buyers place orders. Use FEIRA_ERP_SECONDS=600 for a full run. */
const SECONDS = Number(process.env.FEIRA_ERP_SECONDS ?? 30);

test(
  'the state of the example ERP matches the store after the server was killed twice while buyers placed orders',
  async () => {
    const folder = temporaryFolder();
    // When tests run as root, PostgreSQL runs under another account, which must be able to enter the folder.
    chmodSync(folder.path, 0o711);
    const port = await freePort();
    const url = `http://localhost:${port}`;
    const env = { FEIRA_DATA: join(folder.path, 'feira'), PORT: String(port), PUBLIC_URL: url };
    let server = await serve(env, url);
    // The demo store is created after the server has begun to listen.
    await until(() => server.output().includes('Feira is up'));
    const demo = demoIn(env);
    const redirectUri = `http://localhost:${await freePort()}/callback`;
    const app = await command(['app', 'create', '--name', 'ERP', '--redirect-uri', redirectUri], env);
    const store = ['--store', demo.workspaceId];
    await command(['budget', 'set', ...store, '--client-id', app.clientId, '--per-minute', '3000'], env);

    const erp = startErp({
      FEIRA_URL: url,
      FEIRA_CLIENT_ID: app.clientId,
      FEIRA_CLIENT_SECRET: app.clientSecret,
      FEIRA_REDIRECT_URI: redirectUri,
      ERP_FOLDER: join(folder.path, 'erp'),
    });
    await until(() => /http.*authorize/.test(erp.output()));
    await approve(url, /http.*authorize\S*/.exec(erp.output())![0], demo);
    await until(() => /Copied \d+ products/.test(erp.output()));

    const simulation = startCommand(
      ['simulate', ...store, '--rate', '1/s', '--for', `${SECONDS}s`, '--json'],
      env,
    );
    const simulated = once(simulation.child, 'exit');
    for (let kills = 0; kills < 2; kills++) {
      await new Promise((resolve) => setTimeout(resolve, (SECONDS * 1_000) / 3));
      await server.stop('SIGKILL');
      server = await serve(env, url);
    }
    expect((await simulated)[0], simulation.output()).toBe(0);
    // The servers that were killed may not have added all demo orders. The last start adds the rest.
    await until(() => demoIn(env).filled === true, 600_000);
    // The last orders must be invoiced before the ERP is stopped. The test asks the store, because the state of the ERP
    // may not contain the last payments yet.
    const client = new Feira({ baseUrl: url, token: demoIn(env).token });
    await until(() => isInvoiced(client), 600_000);

    erp.child.kill('SIGTERM');
    const [code] = await once(erp.child, 'exit');
    expect(erp.output()).toContain('The state matches the store');
    expect(code).toBe(0);
    await expectSameState(client, join(folder.path, 'erp'));
    await server.stop('SIGTERM');
    folder.remove();
  },
  SECONDS * 2_000 + 900_000,
);

async function serve(env: Record<string, string>, url: string): Promise<CommandProcess> {
  const server = startCommand(['serve'], env);
  await until(async () => {
    if (hasExited(server.child)) throw new Error(`the server ended:\n${server.output()}`);
    return (await fetch(`${url}/readyz`).catch(() => undefined))?.status === 200;
  });
  return server;
}

async function command(args: string[], env: Record<string, string>) {
  const { code, stdout, stderr } = await feiraCommand([...args, '--json'], env);
  if (code !== 0) throw new Error(stdout + stderr);
  return JSON.parse(stdout);
}

function startErp(env: Record<string, string>) {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [join(ROOT, 'sdk/examples/erp/erp.mjs')], {
    env: { PATH, HOME, ...env },
  });
  process.once('exit', () => child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  return { child, output: () => output };
}

async function approve(
  url: string,
  address: string,
  { email, password }: Record<string, string>,
): Promise<void> {
  const merchant = merchantAt(url);
  await merchant.signIn(email, password);
  const { pathname, search } = new URL(address);
  const { location } = await merchant.press(await merchant.get(pathname + search), 'Approve');
  expect((await fetch(location!)).status).toBe(200);
}

interface State {
  products: Record<string, { quantity: number; variants: { sku: string; quantity: number }[] }>;
  orders: Record<string, { status: string }>;
}

function stateIn(folder: string): State {
  return JSON.parse(readFileSync(join(folder, 'state.json'), 'utf8'));
}

async function isInvoiced(client: Feira): Promise<boolean> {
  for await (const { invoices } of client.orders.list({ limit: 100, status: ['paid'] }))
    if (invoices.length === 0) return false;
  return true;
}

/** Reads the file that describes the demo store. The server stores a new token in it at each start. */
function demoIn(env: { FEIRA_DATA: string }) {
  return JSON.parse(readFileSync(join(env.FEIRA_DATA, 'demo.json'), 'utf8'));
}

/** Compares the state of the ERP with the store, without relying on the comparison that the example itself makes. */
async function expectSameState(client: Feira, folder: string): Promise<void> {
  const { products, orders } = stateIn(folder);
  for await (const product of client.products.list({ include: ['variants'] })) {
    const stock = (variants: { sku: string | null; quantity: number }[]) =>
      variants.map(({ sku, quantity }) => `${sku} ${quantity}`).sort();
    expect(products[product.id]!.quantity).toBe(product.quantity);
    expect(stock(products[product.id]!.variants)).toEqual(stock(product.variants ?? []));
  }
  let count = 0;
  for await (const order of client.orders.list({ limit: 100 })) {
    count++;
    expect(orders[order.id]).toEqual(order);
    expect(order.invoices.length).toBeLessThanOrEqual(1);
    if (order.status === 'paid') expect(order.invoices).toHaveLength(1);
  }
  expect(count).toBe(Object.keys(orders).length);
  expect(count).toBeGreaterThan(0);
}
