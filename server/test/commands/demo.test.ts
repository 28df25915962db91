import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureDemo } from '../../src/commands/demo.js';
import { welcome } from '../../src/commands/welcome.js';
import { type Feira, openFeira } from '../support/feira.js';
import { Merchant } from '../support/merchant.js';
import { temporaryFolder } from '../support/process.js';

let feira: Feira;
let folder: ReturnType<typeof temporaryFolder>;

beforeAll(async () => {
  feira = await openFeira();
  folder = temporaryFolder();
});
afterAll(async () => {
  await feira.close();
  folder.remove();
});

/**
 * Opens the demo store as the server does at startup, and uses the returned credentials. The first call creates the
 * store.
 */
async function start() {
  const demo = await ensureDemo(feira.context, folder.path);
  const merchant = new Merchant(feira.app);
  const page = await merchant.signIn(demo.email, demo.password);
  const products = await feira.app.inject({
    url: '/api/v1/products',
    headers: { authorization: `Bearer ${demo.token}` },
  });
  return { demo, signedIn: page.status, products: products.json().meta.total };
}

test('the demo credentials work after every start, even if their file was lost or is incomplete, and no second store is created', async () => {
  const file = join(folder.path, 'demo.json');
  const first = await start();
  expect(await start()).toMatchObject({
    demo: { password: first.demo.password },
    signedIn: 303,
    products: 3,
  });

  const damages = [() => rmSync(file), () => writeFileSync(file, '{"workspaceId":"01')];
  for (const damage of damages) {
    damage();
    const next = await start();
    expect(next).toMatchObject({ signedIn: 303, products: 3 });
    expect(next.demo).toMatchObject({ workspaceId: first.demo.workspaceId, slug: first.demo.slug });
    expect(existsSync(file)).toBe(true);
  }
});

test('at startup, the server prints the secrets of the demo only to a terminal', async () => {
  const { demo } = await start();
  const config = { publicUrl: 'http://localhost:3000', dataFolder: folder.path };
  const secrets = [demo.password, demo.clientSecret, demo.token];
  for (const secret of secrets) {
    expect(welcome(config, demo, true)).toContain(secret);
    expect(welcome(config, demo, false)).not.toContain(secret);
  }
});

test('at startup, the server prints where to sign in, the redirect URI of the app and what to do next', async () => {
  const { demo } = await start();
  const config = { publicUrl: 'http://localhost:3000', dataFolder: folder.path };
  for (const toTerminal of [true, false]) {
    const text = welcome(config, demo, toTerminal);
    for (const part of [
      'http://localhost:3000/sign-in',
      `http://localhost:3000/s/${demo.slug}`,
      'http://localhost:8080/callback',
      'curl "http://localhost:3000/api/v1/products?limit=3"',
      `npx feira buy --store ${demo.slug}`,
      'http://localhost:3000/docs/guides/quickstart',
    ])
      expect(text).toContain(part);
  }
});
