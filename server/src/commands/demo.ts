import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findAccount, setPassword, storesOwnedBy } from '../accounts/users.js';
import { createProduct } from '../catalog/create-product.js';
import type { Demo as DocsDemo } from '../docs/demo.js';
import { createApp } from '../oauth/apps.js';
import { SCOPES, type Scope } from '../oauth/scopes.js';
import { createGrant, issueTokens } from '../oauth/tokens.js';
import type { SandboxGateway } from '../payments/sandbox/gateway.js';
import type { Clock } from '../platform/clock.js';
import type { Database } from '../platform/db/database.js';
import type { Tx } from '../platform/db/share.js';
import { shopOfStore } from '../stores/queries.js';
import { createStore, setAccentColor } from '../stores/stores.js';
import type { FillServices } from './demo-store/fill.js';
import type { HistoryServices } from './demo-store/history.js';

interface Demo {
  workspaceId: string;
  clientId: string;
  clientSecret: string;
  email: string;
  password: string;
  /** Set once fillDemo has finished. */
  filled?: boolean;
}

/** The demo store with its slug and the token that this start issued. */
export interface OpenedDemo extends Demo {
  token: string;
  slug: string;
}

export const DEMO_REDIRECT_URI = 'http://localhost:8080/callback';
const RENEW_MS = 60 * 60 * 1000;
const EMAIL = 'demo@feira.example';
/** Indigo, so that the demo shop does not look like the pages of the platform. */
const ACCENT_COLOR = '4338ca';

/**
 * Creates the demo store at the first start and saves its credentials in a file next to the embedded database. Each
 * start issues a new token and saves it in the same file. Only the user that runs the server can read the file.
 */
export async function ensureDemo(
  { db, clock }: { db: Database; clock: Clock },
  dataFolder: string,
): Promise<OpenedDemo> {
  const file = fileIn(dataFolder);
  const kept = readDemo(file);
  const demo = kept ?? (await db.system('demo').transaction(createDemo));
  // Saved before the token is issued: if issuing fails, the next start must not create another password and app.
  if (!kept) write(file, demo);
  const { workspaceId } = demo;
  const token = await issueToken(db, clock, demo);
  const shop = await shopOfStore(db.store(workspaceId), workspaceId);
  const opened = { ...demo, token, slug: shop?.slug ?? '' };
  write(file, opened);
  return opened;
}

/**
 * Adds the products that ensureDemo() has not created, the pictures of all products and, if there is a gateway, two
 * weeks of orders. "feira serve" runs this in the background once it accepts requests, because drawing the pictures
 * takes several seconds. The next start continues a run that was interrupted.
 */
export async function fillDemo(
  services: FillServices & Omit<HistoryServices, 'gateway'> & { gateway: SandboxGateway | undefined },
  demo: Demo,
  dataFolder: string,
  signal: AbortSignal,
): Promise<void> {
  const { workspaceId } = demo;
  const { gateway } = services;
  if (demo.filled) return;
  // Imported here so that loading these modules does not delay the start.
  const [{ fillCatalog }, { fillHistory }] = await Promise.all([
    import('./demo-store/fill.js'),
    import('./demo-store/history.js'),
  ]);
  await fillCatalog(services, workspaceId, signal);
  const shop = await shopOfStore(services.db.store(workspaceId), workspaceId);
  if (gateway && shop) await fillHistory({ ...services, gateway }, shop, signal);
  if (!signal.aborted) write(fileIn(dataFolder), { ...demo, filled: true });
}

/** Returns the demo store for the documentation, with a token that is renewed while the server runs. */
export function renewing({ db, clock }: { db: Database; clock: Clock }, demo: OpenedDemo): DocsDemo {
  let issued = { token: demo.token, at: clock.now() };
  return {
    slug: demo.slug,
    async token() {
      if (clock.now() - issued.at > RENEW_MS)
        issued = { token: await issueToken(db, clock, demo), at: clock.now() };
      return issued.token;
    },
  };
}

async function issueToken(db: Database, clock: Clock, { workspaceId, clientId }: Demo): Promise<string> {
  const scopes = Object.keys(SCOPES) as Scope[];
  const { access_token } = await db.store(workspaceId).transaction(async (tx) => {
    const grantId = await createGrant(tx, { workspaceId, clientId, userId: null, scopes });
    return issueTokens(tx, clock, workspaceId, grantId, scopes);
  });
  return access_token;
}

function fileIn(dataFolder: string): string {
  return join(dataFolder, 'demo.json');
}

/** Replaces the file, so that a reader never sees an incomplete one. */
function write(file: string, demo: Demo): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Reads the saved demo store. Returns undefined if the file is missing or damaged. */
function readDemo(file: string): Demo | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Demo;
  } catch {
    return undefined;
  }
}

/**
 * Creates the demo store and an app. If an earlier start already created the store, but the file is missing or damaged,
 * the store is reused, and its owner gets a new password.
 */
async function createDemo(tx: Tx): Promise<Demo> {
  const password = randomBytes(9).toString('base64url');
  const workspaceId = (await reuseStore(tx, password)) ?? (await createDemoStore(tx, password));
  const app = await createApp(tx, { name: 'Demo App', redirectUris: [DEMO_REDIRECT_URI] });
  return { workspaceId, ...app, email: EMAIL, password };
}

async function reuseStore(tx: Tx, password: string): Promise<string | undefined> {
  const userId = (await findAccount(tx, EMAIL))?.userId;
  if (userId === undefined) return undefined;
  await setPassword(tx, userId, password);
  const ids = (await storesOwnedBy(tx, userId)).map(({ workspaceId }) => workspaceId);
  // Ids begin with the creation time, so the first id is that of the original demo store.
  return ids.sort()[0];
}

async function createDemoStore(tx: Tx, password: string): Promise<string> {
  const owner = { ownerEmail: EMAIL, ownerPassword: password };
  const { workspaceId } = await createStore(tx, { name: 'Demo Store', ...owner });
  await setAccentColor(tx, workspaceId, ACCENT_COLOR);
  await addFirstProducts(tx, workspaceId);
  return workspaceId;
}

async function addFirstProducts(tx: Tx, workspaceId: string): Promise<void> {
  await createProduct(tx, workspaceId, 'system', {
    name: 'Caneca Esmaltada',
    price: 34.9,
    quantity: 40,
    sku: 'CAN-ESM',
    weight: 0.3,
    categoryId: 15,
  });
  await createProduct(tx, workspaceId, 'system', {
    name: 'Café em Grãos 500 g',
    price: 42,
    quantity: 120,
    sku: 'CAFE-500',
    ean: '7891234567895',
    weight: 0.5,
    categoryId: 20,
  });
  await createProduct(tx, workspaceId, 'system', {
    name: 'Camiseta Básica',
    price: 79.9,
    priceDiscount: 59.9,
    description: 'Malha de algodão, gola redonda.',
    weight: 0.25,
    categoryId: 2,
    variants: {
      types: [
        { name: 'Tamanho', options: ['P', 'M', 'G'] },
        { name: 'Cor', options: ['Azul', 'Branca'] },
      ],
      combinations: ['P', 'M', 'G'].flatMap((size) =>
        ['Azul', 'Branca'].map((color) => ({
          options: [size, color],
          sku: `CAM-${size}-${color.slice(0, 2).toUpperCase()}`,
          quantity: 10,
        })),
      ),
    },
  });
}
