import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/platform/db/sql.js';
import { type Feira, openFeira } from '../support/feira.js';
import { authorizationQuery, CALLBACK, Integrator } from '../support/integrator.js';
import { answerOf, formOf, Merchant, openStore } from '../support/merchant.js';
import { clientIdOn, followed, isLive, register, secretOn, signUpIntegrator } from '../support/partners.js';

let feira: Feira;
let dev: Merchant;
let ana: Merchant;

beforeAll(async () => {
  feira = await openFeira();
  dev = await signUpIntegrator(feira, 'dev@erp.example');
  await openStore(feira);
  ana = new Merchant(feira.app);
  await ana.signIn();
});
afterAll(() => feira.close());

describe('the secrets of an app', () => {
  test('are both valid during a rotation; creating a third revokes the oldest, and the older of the remaining two can be revoked', async () => {
    let page = await register(dev);
    const clientId = clientIdOn(page);
    const secrets = [secretOn(page)!];
    const live = () => Promise.all(secrets.map((secret) => isLive(feira, clientId, secret)));
    expect(Object.keys(page.forms[1]!.buttons)).toEqual(['Create a new secret']);

    page = await followed(dev, dev.press(page, 'Create a new secret'));
    secrets.push(secretOn(page)!);
    expect(await live()).toEqual([true, true]);
    expect(secretOn(await dev.get(`/partners/apps/${clientId}`))).toBeUndefined();

    page = await followed(dev, dev.press(page, 'Create a new secret'));
    secrets.push(secretOn(page)!);
    expect(await live()).toEqual([false, true, true]);

    const ended = await dev.press(page, 'Revoke the old secret');
    expect(ended.location).toBe(`/partners/apps/${clientId}`);
    expect(await live()).toEqual([false, false, true]);
    const after = await dev.get(ended.location!);
    expect(() => formOf(after, 'Revoke the old secret')).toThrow();
    await dev.post(`/partners/apps/${clientId}/end-old-secret`, formOf(after, 'Save').fields);
    expect(await live()).toEqual([false, false, true]);
  });

  test('that are created in two browsers at the same time are both valid', async () => {
    const page = await register(dev);
    const beside = new Merchant(feira.app);
    await beside.signIn('dev@erp.example');
    const there = await beside.get(`/partners/apps/${clientIdOn(page)}`);
    const pages = await Promise.all([
      followed(dev, dev.press(page, 'Create a new secret')),
      followed(beside, beside.press(there, 'Create a new secret')),
    ]);
    for (const each of pages) expect(await isLive(feira, clientIdOn(page), secretOn(each)!)).toBe(true);
    expect(await isLive(feira, clientIdOn(page), secretOn(page)!)).toBe(false);
  });

  test('can be replaced: tokens stay valid when the secret they were issued with is revoked', async () => {
    const page = await register(dev);
    const before = new Integrator(feira.app, { clientId: clientIdOn(page), clientSecret: secretOn(page)! });
    const tokens = await before.connected(ana);
    const rotated = await followed(dev, dev.press(page, 'Create a new secret'));
    await dev.press(rotated, 'Revoke the old secret');
    const after = new Integrator(feira.app, { clientId: clientIdOn(page), clientSecret: secretOn(rotated)! });
    expect((await before.refresh(tokens.refresh_token)).status).toBe(401);
    expect((await after.me(tokens.access_token)).status).toBe(200);
    expect((await after.refresh(tokens.refresh_token)).status).toBe(200);
  });
});

describe('the page of an app', () => {
  test('when reloaded, creates no second app or secret, and no longer shows the secret', async () => {
    const form = { name: 'Reloaded', 'redirect-uris': CALLBACK, contact: 'dev@erp.example' };
    const registered = await dev.press(await dev.get('/partners/apps/new'), 'Register', form);
    expect(registered.status).toBe(303);
    expect(secretOn(registered)).toBeUndefined();
    const shown = await dev.get(registered.location!);
    const secret = secretOn(shown)!;
    expect(await isLive(feira, clientIdOn(shown), secret)).toBe(true);

    const rotated = await dev.press(shown, 'Create a new secret');
    expect(rotated.status).toBe(303);
    expect(secretOn(await dev.get(rotated.location!))).toMatch(/^feira_cs_/);
    for (let reloads = 0; reloads < 2; reloads++) {
      const reloaded = await dev.get(rotated.location!);
      expect([reloaded.status, secretOn(reloaded)]).toEqual([200, undefined]);
    }
    expect(await isLive(feira, clientIdOn(shown), secret)).toBe(true);
    expect((await dev.get('/partners')).text.match(/Reloaded/g)).toHaveLength(1);
  });

  test('when reloaded, no longer says that changes were saved, or that a secret was created or revoked', async () => {
    const page = await register(dev);
    for (const [button, sentence] of [
      ['Save', 'Your changes are saved.'],
      ['Create a new secret', 'The new secret was created.'],
      ['Revoke the old secret', 'The old secret was revoked.'],
    ] as const) {
      const current = await dev.get(`/partners/apps/${clientIdOn(page)}`);
      const after = await followed(dev, dev.press(current, button));
      expect(after.text).toContain(sentence);
      expect((await dev.get(`/partners/apps/${clientIdOn(page)}`)).text).not.toContain(sentence);
    }
  });

  test('does not show a new secret if it belongs to another app, if two minutes have passed, or if the cookie is forged', async () => {
    const page = await register(dev);
    const address = `/partners/apps/${clientIdOn(page)}`;
    const other = await register(dev);
    await dev.press(page, 'Create a new secret');
    expect(secretOn(await dev.get(`/partners/apps/${clientIdOn(other)}`))).toBeUndefined();
    await dev.press(page, 'Create a new secret');
    feira.clock.forward(2 * 60_000);
    expect(secretOn(await dev.get(address))).toBeUndefined();
    await dev.press(page, 'Create a new secret');
    dev.cookies.set('feira-flash', 'A'.repeat(200));
    const forged = await dev.get(address);
    expect([forged.status, secretOn(forged)]).toEqual([200, undefined]);
  });
});

describe('the settings of an app', () => {
  test('can be changed: a redirect address that was removed is rejected from then on', async () => {
    const page = await register(dev);
    const asked = authorizationQuery({ clientId: clientIdOn(page) });
    const moved = { ...asked, redirect_uri: 'https://erp.example/new' };
    expect((await ana.consent(asked)).status).toBe(200);
    expect((await ana.consent(moved)).status).toBe(400);
    const saved = await dev.press(page, 'Save', {
      name: 'Renamed ERP',
      'redirect-uris': 'https://erp.example/new',
    });
    expect(saved.status).toBe(303);
    expect((await ana.consent(asked)).status).toBe(400);
    const consent = await ana.consent(moved);
    expect(consent.text).toContain('Renamed ERP');
    expect(answerOf(await ana.press(consent, 'Approve'))).toHaveProperty('code');
  });

  test('are validated like those of a new app, and stay unchanged if the new values are rejected', async () => {
    const page = await register(dev);
    const refused = await dev.press(page, 'Save', { name: '', 'redirect-uris': 'http://erp.example' });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('The name must have');
    const { fields } = formOf(await dev.get(`/partners/apps/${clientIdOn(page)}`), 'Save');
    expect(fields).toMatchObject({ name: 'My ERP', 'redirect-uris': CALLBACK });
  });

  test('of another integrator are not found and cannot be changed', async () => {
    const stranger = await signUpIntegrator(feira, 'stranger@erp.example');
    const first = await register(stranger);
    const second = await followed(stranger, stranger.press(first, 'Create a new secret'));
    const clientId = clientIdOn(first);
    // The app gets another owner. The stranger still has its form with a valid CSRF token, so only the check of the
    // owner can reject that form.
    await feira.context.db.store('test').autocommit.query(sql`
      update apps set owner_id = (select id from users where email = 'dev@erp.example') where client_id = ${clientId}`);
    const address = `/partners/apps/${clientId}`;
    expect((await stranger.get(address)).status).toBe(404);
    expect((await stranger.get('/partners')).text).not.toContain(clientId);
    const form = { ...formOf(second, 'Save').fields, name: 'Stolen' };
    for (const path of ['', '/rotate', '/end-old-secret'])
      expect([path, (await stranger.post(`${address}${path}`, form)).status]).toEqual([path, 404]);
    for (const page of [first, second]) expect(await isLive(feira, clientId, secretOn(page)!)).toBe(true);
    expect(formOf(await dev.get(address), 'Save').fields.name).toBe('My ERP');
  });

  test('cannot be changed with the form of another app', async () => {
    const page = await register(dev);
    const other = formOf(await register(dev), 'Save').fields;
    for (const path of ['', '/rotate', '/end-old-secret']) {
      const rejected = await dev.post(`/partners/apps/${clientIdOn(page)}${path}`, other);
      expect([path, rejected.status]).toEqual([path, 403]);
    }
    expect(await isLive(feira, clientIdOn(page), secretOn(page)!)).toBe(true);
  });

  test.each(['app_x', '%00', `app_${'0'.repeat(24)}`, '..%2f..'])(
    'are not found for an app that does not exist: %s',
    async (id) => {
      const page = await dev.get(`/partners/apps/${id}`);
      expect([page.status, page.text.includes('App not found.')]).toEqual([404, true]);
    },
  );
});

test('the page of an app shows the URLs of its failing subscriptions, each with the number of stores affected', async () => {
  const page = await register(dev);
  const clientId = clientIdOn(page);
  const { autocommit } = feira.context.db.store('test');
  const [one, two] = [await feira.store(), await feira.store()];
  const subscribe = (workspaceId: string, url: string, lost: number) =>
    autocommit.query(sql`
      insert into webhooks (workspace_id, id, client_id, url, events, secret, lost_in_a_row)
      values (${workspaceId}, new_id(), ${clientId}, ${url}, ${['order.paid']}, ${Buffer.alloc(8)}, ${lost})`);
  const url = 'https://erp.example/hooks';
  for (const { workspaceId } of [one, one, two]) await subscribe(workspaceId, url, 5);
  await subscribe(one.workspaceId, 'https://erp.example/other', 4);
  const { text } = await dev.get(`/partners/apps/${clientId}`);
  expect(text).toContain(`${url} (stores affected: 2)`);
  expect(text).not.toContain('https://erp.example/other');
});
