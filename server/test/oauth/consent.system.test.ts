import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createApp } from '../../src/oauth/apps.js';
import { createStore } from '../../src/stores/stores.js';
import { accessibilityFaults } from '../support/accessibility.js';
import { openBrowser } from '../support/browser.js';
import { type Feira, openFeira } from '../support/feira.js';
import { freePort } from '../support/process.js';

// Tests consent as a merchant gives it: in a real Chromium, over a real socket, for an app on another origin.
const EMAIL = 'ana@loja.example';
const PASSWORD = 'correct horse battery';

let feira: Feira;
let address: string;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let integrator: Server;
let callback: string;
let framing: string;
let app: { clientId: string; clientSecret: string };
let page: Page;

beforeAll(async () => {
  const port = await freePort();
  address = `http://localhost:${port}`;
  feira = await openFeira({ publicUrl: address });
  await feira.app.listen({ host: '127.0.0.1', port });
  integrator = createServer((request, response) => {
    response.setHeader('content-type', 'text/html');
    const target = new URL(request.url as string, 'http://x').searchParams.get('frame');
    response.end(
      target
        ? `<iframe id="f" src="${target.replaceAll('&', '&amp;')}"></iframe>`
        : '<h1>Back at the ERP</h1>',
    );
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => integrator.once('listening', resolve));
  const at = `http://127.0.0.1:${(integrator.address() as AddressInfo).port}`;
  callback = `${at}/callback`;
  framing = `${at}/framing`;
  const { db } = feira.context;
  for (const name of ['Loja da Ana', 'Ana Atacado']) {
    await db
      .store('test')
      .transaction((tx) => createStore(tx, { name, ownerEmail: EMAIL, ownerPassword: PASSWORD }));
  }
  app = await createApp(db.store('test').autocommit, { name: 'Conecta ERP', redirectUris: [callback] });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.end();
  integrator.close();
  await feira.close();
});
beforeEach(async () => {
  await browser.clearCookies();
  page = await browser.newPage();
});

function authorizeUrl(verifier: string, state = 's-1'): string {
  return `${address}/oauth/authorize?${new URLSearchParams({
    response_type: 'code',
    client_id: app.clientId,
    redirect_uri: callback,
    scope: 'products:read stock:write orders:read webhooks:manage',
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })}`;
}

async function signIn(): Promise<void> {
  await page.getByLabel('E-mail').fill(EMAIL);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function picture(name: string): Promise<void> {
  if (process.env.SCREENSHOTS)
    await page.screenshot({ path: `${process.env.SCREENSHOTS}/${name}.png`, fullPage: true });
}

describe('a merchant in a browser', () => {
  test('signs in, picks a store and approves, and the app acts for that store until it is disconnected', async () => {
    const verifier = randomBytes(32).toString('base64url');
    await page.goto(authorizeUrl(verifier));
    await picture('sign-in');
    expect(await accessibilityFaults(page)).toEqual([]);
    await signIn();
    await page.getByRole('heading', { name: 'Conecta ERP' }).waitFor();
    await picture('consent');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByLabel('Store').selectOption({ label: 'Ana Atacado' });
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('heading', { name: 'Back at the ERP' }).waitFor();
    const back = new URL(page.url());
    expect(back.searchParams.get('state')).toBe('s-1');
    expect(back.searchParams.get('iss')).toBe(address);
    const response = await fetch(`${address}/api/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: app.clientId,
        client_secret: app.clientSecret,
        code: back.searchParams.get('code') as string,
        redirect_uri: callback,
        code_verifier: verifier,
      }),
    });
    const { access_token } = (await response.json()) as { access_token: string };
    const me = await fetch(`${address}/api/v1/me`, { headers: { authorization: `Bearer ${access_token}` } });
    expect(await me.json()).toMatchObject({ name: 'Ana Atacado', app: { name: 'Conecta ERP' } });

    await page.goto(`${address}/console/apps`);
    await picture('connected-apps');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Disconnect' }).click();
    await page.getByText('No app is connected to this store.').nth(1).waitFor();
    const after = await fetch(`${address}/api/v1/me`, {
      headers: { authorization: `Bearer ${access_token}` },
    });
    expect(after.status).toBe(401);
  });

  test('denies access with the keyboard, and the app gets the error access_denied', async () => {
    await page.goto(authorizeUrl(randomBytes(32).toString('base64url'), 's-2'));
    await page.getByLabel('E-mail').focus();
    await page.keyboard.type(EMAIL);
    await page.keyboard.press('Tab');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Deny' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Back at the ERP' }).waitFor();
    const query = new URL(page.url()).searchParams;
    expect([query.get('error'), query.get('state'), query.get('code')]).toEqual([
      'access_denied',
      's-2',
      null,
    ]);
  });

  test('can use the consent screen in Portuguese, on a phone and without scripts', async () => {
    const phone = await browser
      .browser()!
      .newContext({ viewport: { width: 360, height: 740 }, locale: 'pt-BR', javaScriptEnabled: false });
    page = await phone.newPage();
    await page.goto(authorizeUrl(randomBytes(32).toString('base64url')));
    await page.getByLabel('E-mail').fill(EMAIL);
    await page.getByLabel('Senha').fill(PASSWORD);
    await page.getByRole('button', { name: 'Entrar' }).click();
    await page.getByText('quer se conectar à sua loja').waitFor();
    await picture('consent-phone');
    await page.getByRole('button', { name: 'Aprovar' }).click();
    await page.getByRole('heading', { name: 'Back at the ERP' }).waitFor();
    await phone.close();
  });

  test('is protected from a page that frames the consent screen', async () => {
    await page.goto(authorizeUrl(randomBytes(32).toString('base64url')));
    await signIn();
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    const refusals: string[] = [];
    page.on('console', (message) => refusals.push(message.text()));
    await page.goto(`${framing}?frame=${encodeURIComponent(page.url())}`);
    await expect.poll(() => refusals.join('\n')).toMatch(/frame-ancestors/);
    const framed = page.frames().find((frame) => frame !== page.mainFrame());
    expect(await framed?.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  });
});

test('an integrator signs up, registers an app and rotates its secret', async () => {
  await page.goto(`${address}/partners`);
  await picture('partners-sign-up');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByLabel('E-mail').fill('dev@erp.example');
  await page.getByLabel('Password').fill('a long enough password');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('link', { name: 'Register an app' }).click();
  await page.getByLabel('Name').fill('Conecta');
  await page.getByLabel('Redirect URIs').fill('https://erp.example/callback\nhttp://localhost:8080/callback');
  await page.getByRole('button', { name: 'Register' }).click();
  const secret = await page.locator('code.secret').textContent();
  expect(secret).toMatch(/^feira_cs_/);
  await picture('partners-app');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Create a new secret' }).click();
  expect(await page.locator('code.secret').textContent()).not.toBe(secret);
  await page.getByRole('button', { name: 'Revoke the old secret' }).click();
  await page.getByRole('heading', { name: 'Conecta' }).waitFor();
  expect(await page.locator('code.secret').count()).toBe(0);
});
