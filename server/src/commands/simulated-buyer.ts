import { randomBytes, randomInt } from 'node:crypto';
import { readSellables } from '../catalog/reserve.js';
import { type CheckoutServices, checkOut, type Outcome } from '../checkout/checkout.js';
import type { Buyer } from '../orders/records.js';
import { cpfDigits } from '../orders/tax-id.js';
import type { Queryable } from '../platform/db/share.js';
import { sql } from '../platform/db/sql.js';
import { isId } from '../platform/schema/ids.js';
import type { Shop } from '../stores/queries.js';
import { UsageError } from './command.js';

const FIRST = [
  'Ana',
  'Bia',
  'Caio',
  'Davi',
  'Elisa',
  'Fábio',
  'Gabi',
  'Heitor',
  'Iara',
  'João',
  'Lívia',
  'Otávio',
];
const LAST = ['Almeida', 'Barbosa', 'Costa', 'Dias', 'Ferreira', 'Gomes', 'Lima', 'Nunes', 'Rocha', 'Souza'];
const STREETS = ['Rua das Flores', 'Avenida Brasil', 'Rua Sete de Setembro', 'Travessa do Sol', 'Rua da Paz'];
/** City, state, district, area code, and the first five digits of the postal codes. */
const PLACES = [
  ['São Paulo', 'SP', 'Sé', '11', '01001'],
  ['Campinas', 'SP', 'Cambuí', '19', '13025'],
  ['Rio de Janeiro', 'RJ', 'Botafogo', '21', '22250'],
  ['Belo Horizonte', 'MG', 'Savassi', '31', '30130'],
  ['Salvador', 'BA', 'Barra', '71', '40140'],
  ['Recife', 'PE', 'Boa Viagem', '81', '51020'],
  ['Manaus', 'AM', 'Centro', '92', '69005'],
  ['Brasília', 'DF', 'Asa Sul', '61', '70340'],
  ['Curitiba', 'PR', 'Batel', '41', '80420'],
  ['Porto Alegre', 'RS', 'Moinhos de Vento', '51', '90570'],
] as const;
const TRIES = 5;
const LOOKED_AT = 200;

/** Returns a fictitious person with a valid CPF (Brazilian tax id). */
function randomBuyer(): Buyer {
  const [first, last] = [pick(FIRST), pick(LAST)];
  const [city, state, district, area, zip] = pick(PLACES);
  const nine = digits(9);
  const plain = `${first}.${last}`.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return {
    name: `${first} ${last}`,
    email: `${plain}${digits(4)}@cliente.example`,
    phone: `${area}9${digits(8)}`,
    document: `${nine}${cpfDigits(nine)}`,
    address: {
      street: pick(STREETS),
      number: String(randomInt(1, 2000)),
      complement: randomInt(3) === 0 ? `Apto ${randomInt(11, 200)}` : null,
      district,
      city,
      state,
      zipCode: `${zip}${digits(3)}`,
      country: 'BR',
    },
  };
}

/** Buys one unit of a product in stock. Returns undefined if nothing is left or other buyers were faster five times. */
export async function buyOne(
  services: CheckoutServices,
  shop: Shop,
  productId: string | undefined,
): Promise<{ orderId: string; transactionId: string } | undefined> {
  for (let tries = 0; tries < TRIES; tries++) {
    const sellable = await pickSellable(services.db.store(shop.workspaceId), shop.workspaceId, productId);
    if (!sellable) return undefined;
    const method = pick(['pix', 'pix', 'card', 'boleto']);
    const outcome: Outcome = await checkOut(services, shop, {
      checkoutId: randomBytes(16).toString('base64url'),
      lines: [{ ...sellable, quantity: 1 }],
      buyer: randomBuyer(),
      service: pick(['economy', 'economy', 'express']),
      payment: { method, installments: method === 'card' ? randomInt(1, 13) : 1 },
    });
    if ('orderId' in outcome) return outcome;
    // The total is the only possible reason for a refusal: the order has one unit and a valid postal code, any price
    // is accepted, and the limits per network and per shop do not apply.
    if ('refused' in outcome) throw new UsageError('The total exceeds the maximum for an order');
    // Another buyer took the last unit.
  }
  return undefined;
}

async function pickSellable(
  db: Queryable,
  workspaceId: string,
  productId: string | undefined,
): Promise<{ productId: string; variantId: string | null } | undefined> {
  const chosen = productId ?? (await pickProduct(db, workspaceId));
  if (chosen === undefined) return undefined;
  const sellables = isId(chosen) ? await readSellables(db, workspaceId, [chosen]) : [];
  if (sellables.length === 0 && productId !== undefined)
    throw new UsageError(`Product ${productId} was not found in this store`);
  const inStock = sellables.filter(({ stock }) => stock > 0);
  if (inStock.length === 0) return undefined;
  const sellable = pick(inStock);
  return { productId: sellable.productId, variantId: sellable.variantId };
}

/** Picks one of the newest products, because picking from a million products at random would need a full scan. */
async function pickProduct(db: Queryable, workspaceId: string): Promise<string | undefined> {
  const products = await db.query<{ id: string }>(sql`
    select id from products where workspace_id = ${workspaceId} and quantity > 0
    order by created_at desc, id desc limit ${LOOKED_AT}::integer`);
  return products.length === 0 ? undefined : pick(products).id;
}

export function pick<T>(choices: readonly T[]): T {
  return choices[randomInt(choices.length)] as T;
}

function digits(count: number): string {
  return Array.from({ length: count }, () => randomInt(10)).join('');
}
