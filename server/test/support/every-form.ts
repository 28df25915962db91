import { createApp, rotateSecret } from '../../src/oauth/apps.js';
import { sql } from '../../src/platform/db/sql.js';
import { shopOf, TYPED, Visitor } from './buyer.js';
import { newProduct } from './catalog.js';
import type { Feira } from './feira.js';
import { authorizationQuery, CALLBACK, Integrator, registerApp } from './integrator.js';
import { ANA, Merchant, openStore, type Page } from './merchant.js';

/** A form as a browser would submit it, with the cookies of that browser. */
export interface SampleForm {
  url: string;
  fields: Record<string, string>;
  cookie: string;
}

export interface Pages {
  /** The addresses of all pages that were read, with the cookies of the browser. */
  visited: { url: string; cookie: string }[];
  forms: SampleForm[];
}

/**
 * Reads the pages with forms (except /docs) that a visitor, a merchant who is also a partner, and a buyer see, and
 * collects the forms. Forms for endpoints without a page, such as those of OAuth, are added. New pages must be added to
 * the lists below.
 */
export async function readPages(feira: Feira): Promise<Pages> {
  const pages: Pages = { visited: [], forms: [] };
  const visit = async (browser: Merchant, url: string) => {
    const page = await browser.get(url);
    if (page.status >= 300) throw new Error(`${url}: ${page.status} ${page.text}`);
    const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ');
    pages.visited.push({ url, cookie });
    for (const { action, fields, buttons } of page.forms)
      for (const pressed of Object.values(buttons))
        pages.forms.push({ url: action || url, fields: defined({ ...fields, ...pressed }), cookie });
    return page;
  };

  const stranger = new Merchant(feira.app);
  for (const url of ['/sign-in', '/partners']) await visit(stranger, url);

  const workspaceId = await openStore(feira);
  await addPaymentToCheck(feira, workspaceId);
  const erp = new Integrator(feira.app, await registerApp(feira));
  const ana = new Merchant(feira.app);
  await ana.signIn();
  await erp.connected(ana);
  const owned = await createApp(feira.context.db.store('test').autocommit, {
    name: 'Own app',
    redirectUris: [CALLBACK],
    ownerId: await userId(feira, ANA),
  });
  // With a second secret, the page of the app offers a button to revoke the first.
  await feira.context.db.store('test').transaction((tx) => rotateSecret(tx, owned.clientId));
  const consent = `/oauth/authorize?${new URLSearchParams(authorizationQuery(erp.credentials))}`;
  const signedIn = [
    '/console/apps',
    '/console/payments',
    '/console/password',
    '/partners',
    '/partners/apps/new',
  ];
  for (const url of [...signedIn, `/partners/apps/${owned.clientId}`, consent]) await visit(ana, url);

  await shopping(feira, visit);
  pages.forms.push(
    { url: '/api/oauth/token', fields: tokenFields(erp), cookie: '' },
    { url: '/api/oauth/revoke', fields: { token: 'feira_rt_x', ...erp.bodyCredentials() }, cookie: '' },
    { url: '/uploads/x', fields: { file: 'x' }, cookie: '' },
    { url: '/payments/sandbox/notifications', fields: { id: 'x', status: 'paid' }, cookie: '' },
  );
  return pages;
}

async function shopping(
  feira: Feira,
  visit: (browser: Merchant, url: string) => Promise<Page>,
): Promise<void> {
  const store = await feira.store();
  const shop = await shopOf(feira, store);
  const mug = await newProduct(store, { name: 'Mug', quantity: 50 });
  const buyer = new Visitor(feira, shop);
  const home = `/s/${shop.slug}`;
  await visit(buyer, home);
  // The address of a product page contains the name of the product. /products/<id> redirects to that address.
  await visit(buyer, (await buyer.get(`${home}/products/${mug}`)).location!);
  await visit(buyer, `${home}/orders`);
  await buyer.add(mug);
  for (const url of ['/cart', '/checkout', `/checkout?zip=${TYPED.zip}`]) await visit(buyer, home + url);
  const payment = await buyer.buy(mug);
  await visit(buyer, payment);
  const orderPage = await buyer.press(await buyer.get(payment), 'Decline');
  const { pathname, search } = new URL(orderPage.location!, 'http://feira.test');
  await visit(buyer, pathname + search);
  // The cart page is visited again, now with an unpaid order. The order emptied the cart, and an empty cart has no form,
  // so an item is added first.
  await buyer.add(mug);
  await visit(buyer, `${home}/cart`);
}

async function addPaymentToCheck(feira: Feira, workspaceId: string): Promise<void> {
  await feira.context.db.store('test').autocommit.query(sql`
    insert into payment_notifications
      (id, workspace_id, order_id, transaction_id, type, amount, refunded_in_all, attention)
    values ('to check', ${workspaceId}, gen_random_uuid(), 'x', 'paid', 1, 0, 'unknown_order')`);
}

function tokenFields(erp: Integrator): Record<string, string> {
  return {
    grant_type: 'authorization_code',
    code: `feira_ac_${'x'.repeat(43)}`,
    redirect_uri: CALLBACK,
    code_verifier: 'x'.repeat(43),
    refresh_token: `feira_rt_${'x'.repeat(43)}`,
    ...erp.bodyCredentials(),
  };
}

async function userId(feira: Feira, email: string): Promise<string> {
  const [user] = await feira.context.db
    .store('test')
    .query<{ id: string }>(sql`select id from users where email = ${email}`);
  return user!.id;
}

/** A field or button without a value sends an empty value. */
function defined(fields: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value ?? '']));
}

/** Returns whether an address matches the URL pattern of a route. */
export function isOf(url: string, address: string): boolean {
  const pattern = url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+|\\\*/g, '[^/?]+');
  return new RegExp(`^${pattern}$`).test(new URL(address, 'http://feira.test').pathname);
}
