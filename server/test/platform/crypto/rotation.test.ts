import { createCipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signNotification } from '../../../src/payments/notifications.js';
import { Signer } from '../../../src/platform/crypto/signer.js';
import { sql } from '../../../src/platform/db/sql.js';
import { resealWebhookSecrets } from '../../../src/webhooks/reseal.js';
import { newProduct } from '../../support/catalog.js';
import { type Feira, openFeira, type StoreClient } from '../../support/feira.js';
import { Receiver } from '../../support/receiver.js';
import { order } from '../../support/shop.js';
import { isGenuine, subscribe } from '../../support/webhooks.js';

const OLD = 'the secret that was used until yesterday';
const NEW = 'the secret that is used from today on';

/**
 * One installation in three states: before the change of FEIRA_SECRET, after it, and after it without
 * FEIRA_SECRET_PREVIOUS.
 */
let before: Feira;
let rotated: Feira;
let forgotten: Feira;
let store: StoreClient;
let receiver: Receiver;

beforeAll(async () => {
  before = await openFeira({ secrets: [OLD] });
  rotated = await openFeira({ on: before, secrets: [NEW, OLD] });
  forgotten = await openFeira({ on: before, secrets: [NEW] });
  store = await before.store();
  receiver = await Receiver.open();
});
afterAll(async () => {
  await receiver.close();
  for (const feira of [forgotten, rotated, before]) await feira.close();
});

const ping = async (feira: Feira, id: string) =>
  (await store.through(feira).post(`/webhooks/${id}/ping`, undefined)).body;

const openOrder = async (feira: Feira, slug: string, orderId: string, key: string) =>
  (await feira.app.inject({ url: `/s/${slug}/orders/${orderId}?key=${encodeURIComponent(key)}` })).statusCode;

describe('values created with the previous secret stay valid as long as that secret is configured:', () => {
  test('an upload address', async () => {
    const bytes = randomBytes(100);
    const asked = await store.post('/uploads', {
      productId: await newProduct(store),
      contentType: 'image/png',
      contentLength: bytes.length,
    });
    expect(asked.status).toBe(201);
    const { uploadUrl } = asked.body;
    const put = async (feira: Feira) =>
      (
        await feira.app.inject({
          method: 'PUT',
          url: uploadUrl.replace('http://feira.test', ''),
          headers: { 'content-type': 'image/png' },
          payload: bytes,
        })
      ).statusCode;
    expect(await put(rotated)).toBe(200);
    expect(await put(forgotten)).toBe(403);
  });

  test('an order link', async () => {
    const { slug, orderId } = await newOrder();
    const key = before.context.orderLinks.keyOf(store.workspaceId, orderId);
    expect(await openOrder(rotated, slug, orderId, key)).toBe(200);
    expect(await openOrder(forgotten, slug, orderId, key)).not.toBe(200);
  });

  test('a label address', async () => {
    const address = new URL(before.context.labels.urlOf(store.workspaceId, 'BR1'));
    const fetchLabel = async (feira: Feira) =>
      (await feira.app.inject({ url: address.pathname + address.search })).json().code;
    expect(await fetchLabel(rotated)).toBe('not_found');
    expect(await fetchLabel(forgotten)).toBe('link_refused');
  });

  test('an open form', async () => {
    const page = await before.app.inject({ url: '/sign-in' });
    const cookie = String(page.headers['set-cookie']).split(';')[0]!;
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.body)![1]!;
    const signIn = async (feira: Feira) =>
      (
        await feira.app.inject({
          method: 'POST',
          url: '/sign-in',
          headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
          payload: new URLSearchParams({
            csrf,
            email: 'unknown@store.example',
            password: 'a password',
          }).toString(),
        })
      ).statusCode;
    const [kept, lost] = [await signIn(rotated), await signIn(forgotten)];
    expect(lost).toBe(403);
    expect(kept).not.toBe(403);
  });

  test('a payment notification', async () => {
    const { orderId } = await newOrder();
    const { total, payment } = (await store.get(`/orders/${orderId}`)).body;
    const { transactionId } = payment;
    const reported = {
      id: 'n1',
      type: 'paid' as const,
      workspaceId: store.workspaceId,
      orderId,
      transactionId,
      amount: total,
      refundedInAll: 0,
    };
    const { body, ...signed } = signNotification(new Signer([OLD]), reported, before.clock.now());
    const notify = async (feira: Feira) =>
      (
        await feira.app.inject({
          method: 'POST',
          url: '/payments/sandbox/notifications',
          headers: {
            'content-type': 'application/json',
            'x-payment-timestamp': signed.timestamp,
            'x-payment-signature': signed.signature,
          },
          payload: body,
        })
      ).statusCode;
    expect(await notify(forgotten)).toBe(401);
    expect(await notify(rotated)).toBe(200);
  });

  test('the response stored for an idempotency key', async () => {
    const body = { name: 'Once', price: 1 };
    const key = { 'idempotency-key': 'across the rotation' };
    const first = await store.post('/products', body, key);
    const again = await store.through(rotated).post('/products', body, key);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.body).toEqual(first.body);
  });
});

describe('the secret of a webhook', () => {
  test('still signs after FEIRA_SECRET changes and, once encrypted again, no longer needs the old FEIRA_SECRET', async () => {
    const hook = await subscribe(store, `${receiver.url}/rotated`);
    expect(await ping(rotated, hook.id)).toMatchObject({ delivered: true });
    expect(await ping(forgotten, hook.id)).toMatchObject({ delivered: false, error: 'secret_unreadable' });
    await resealWebhookSecrets(rotated.context.db.background('test'), rotated.context.seal);
    expect(await ping(forgotten, hook.id)).toMatchObject({ delivered: true });
    expect(isGenuine(hook.secret, receiver.received.at(-1)!)).toBe(true);
  });

  test('is encrypted again together with the secret that it replaced', async () => {
    const hook = await subscribe(store, `${receiver.url}/two`);
    const { body } = await store.post(`/webhooks/${hook.id}/rotate-secret`, undefined);
    await resealWebhookSecrets(rotated.context.db.background('test'), rotated.context.seal);
    await ping(forgotten, hook.id);
    const received = receiver.received.at(-1)!;
    expect(isGenuine(body.secret, received)).toBe(true);
    expect(isGenuine(hook.secret, received, 'x-service-signature-256-previous')).toBe(true);
  });

  test('can be rotated even if it cannot be decrypted, and then only the new one is used for signing', async () => {
    const hook = await subscribe(store, `${receiver.url}/lost`);
    expect(await ping(forgotten, hook.id)).toMatchObject({ delivered: false, error: 'secret_unreadable' });
    const { body } = await store.through(forgotten).post(`/webhooks/${hook.id}/rotate-secret`, undefined);
    expect(await ping(forgotten, hook.id)).toMatchObject({ delivered: true });
    const received = receiver.received.at(-1)!;
    expect(isGenuine(body.secret, received)).toBe(true);
    expect(received.headers).not.toHaveProperty('x-service-signature-256-previous');
  });

  test('cannot be decrypted in the row of another subscription', async () => {
    const mine = await subscribe(store, `${receiver.url}/mine`);
    const other = await subscribe(store, `${receiver.url}/other`);
    await before.context.db.store('test').autocommit.query(sql`
      update webhooks set secret = (select secret from webhooks where workspace_id = ${store.workspaceId} and id = ${other.id})
      where workspace_id = ${store.workspaceId} and id = ${mine.id}`);
    expect(await ping(before, mine.id)).toMatchObject({ delivered: false, error: 'secret_unreadable' });
  });
});

describe('values of the first release:', () => {
  test('an encrypted webhook secret can be decrypted and encrypted again', async () => {
    const hook = await subscribe(store, `${receiver.url}/first`);
    await before.context.db.store('test').autocommit.query(sql`
      update webhooks set secret = ${firstSeal(OLD, hook.secret)}
      where workspace_id = ${store.workspaceId} and id = ${hook.id}`);
    expect(await ping(before, hook.id)).toMatchObject({ delivered: true });
    expect(isGenuine(hook.secret, receiver.received.at(-1)!)).toBe(true);
    await resealWebhookSecrets(rotated.context.db.background('test'), rotated.context.seal);
    expect(await ping(forgotten, hook.id)).toMatchObject({ delivered: true });
  });

  test('an order link stays valid', async () => {
    const { slug, orderId } = await newOrder();
    const key = createHmac('sha256', OLD)
      .update(`order\n${store.workspaceId}\n${orderId}`)
      .digest('base64url');
    expect(await openOrder(before, slug, orderId, key)).toBe(200);
    expect(await openOrder(rotated, slug, orderId, key)).toBe(200);
    expect(await openOrder(before, slug, orderId, `${key}A`)).not.toBe(200);
  });
});

test('a signature for one purpose or message is not valid for another', () => {
  const signer = new Signer([OLD]);
  expect(signer.verify('label', signer.sign('label', 'a', 'b'), 'a', 'b')).toBe(true);
  expect(signer.verify('upload', signer.sign('label', 'a', 'b'), 'a', 'b')).toBe(false);
  expect(signer.verify('label', signer.sign('label', 'a\nb'), 'a', 'b')).toBe(false);
});

async function newOrder(): Promise<{ slug: string; orderId: string }> {
  const productId = await newProduct(store, { quantity: 5 });
  const line = { productId, variantId: null, quantity: 1 };
  const orderId = await order(before, store.workspaceId, line, { pay: false });
  const [shop] = await before.context.db
    .store('test')
    .query<{ slug: string }>(sql`select slug from workspaces where id = ${store.workspaceId}`);
  return { slug: shop!.slug, orderId };
}

/** Encrypts a value in the format of the first release, without a key id and without associated data. */
function firstSeal(secret: string, text: string): Buffer {
  const nonce = randomBytes(12);
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'at rest', 32));
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]);
}
