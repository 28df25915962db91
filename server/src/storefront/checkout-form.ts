import { isEmail } from '../accounts/users.js';
import type { Buyer } from '../orders/records.js';
import { taxIdOf } from '../orders/tax-id.js';
import type { Fields } from '../platform/http/forms.js';
import { normalizedName } from '../platform/schema/normalize.js';
import { MAX_INSTALLMENTS } from './installments.js';
import { phoneOf } from './phone.js';
import { type PostalCodeFault, readPostalCode, STATES } from './postal-codes.js';

export const METHODS = ['pix', 'card', 'boleto'] as const;
/**
 * The payment methods that a buyer may choose for an existing order. Boleto is not among them, because it reserves
 * stock for days, and the limit on unpaid boleto orders from one network is checked only at checkout.
 */
export const IMMEDIATE_METHODS = ['pix', 'card'] as const;
const SERVICES = ['economy', 'express', 'digital'];

export type FieldFault =
  | 'missing'
  | 'long'
  | 'characters'
  | 'email'
  | 'phone'
  | 'document'
  | PostalCodeFault
  | 'zipState'
  | 'choice';

type Rule = (text: string) => { value: string } | { fault: FieldFault };

const RULES = {
  name: text(120),
  email: (given) => checked(isEmail(given) ? given : undefined, 'email'),
  phone: (given) => checked(phoneOf(given), 'phone'),
  document: (given) => checked(taxIdOf(given), 'document'),
  zip: readPostalCode,
  street: text(160),
  number: text(20),
  complement: text(80, { optional: true }),
  district: text(100),
  city: text(100),
  state: (given) => checked(STATES.includes(given.toUpperCase()) ? given.toUpperCase() : undefined, 'choice'),
  delivery: (given) =>
    checked(
      SERVICES.find((service) => service === given),
      'choice',
    ),
  payment: (given) =>
    checked(
      METHODS.find((method) => method === given),
      'choice',
    ),
  installments: (given) =>
    checked(
      /^\d{1,2}$/.test(given) && +given >= 1 && +given <= MAX_INSTALLMENTS ? given : undefined,
      'choice',
    ),
} satisfies Record<string, Rule>;

export type FieldName = keyof typeof RULES;
export type Typed = Record<FieldName, string>;

export interface CheckoutForm {
  /** The entered values, trimmed and limited in length, to show them again. */
  typed: Typed;
  /** The errors of the form, at most one per field. */
  faults: Partial<Record<FieldName, FieldFault>>;
  /** Set if there are no errors. */
  order?: { buyer: Buyer; service: string; payment: { method: string; installments: number } };
}

const NAMES = Object.keys(RULES) as FieldName[];
const DEFAULTS: Partial<Typed> = { delivery: 'economy', installments: '1' };
/**
 * This is more than any field allows. A longer text is shortened when it is shown again. A text that exceeds four times
 * this length is rejected without further checks.
 */
const MAX_CHARACTERS = 300;

export const NOTHING_TYPED = Object.fromEntries(NAMES.map((name) => [name, ''])) as Typed;

export function readCheckoutForm(fields: Fields): CheckoutForm {
  const form: CheckoutForm = { typed: { ...NOTHING_TYPED }, faults: {} };
  const values = { ...NOTHING_TYPED };
  for (const name of NAMES) {
    const sent = fields.text(name);
    const given = normalizedName(sent, MAX_CHARACTERS);
    form.typed[name] = (given ?? sent).slice(0, MAX_CHARACTERS).toWellFormed();
    if (given === undefined) {
      form.faults[name] = sent.length > MAX_CHARACTERS ? 'long' : 'characters';
      continue;
    }
    const result: ReturnType<Rule> = RULES[name](given || (DEFAULTS[name] ?? ''));
    if ('value' in result) values[name] = result.value;
    else form.faults[name] = given === '' ? 'missing' : result.fault;
  }
  // Delivery was quoted for this postal code, so an address in another state is a mistake.
  const postalCode = readPostalCode(values.zip);
  if ('state' in postalCode && values.state !== '' && postalCode.state !== values.state)
    form.faults.zip = 'zipState';
  if (Object.keys(form.faults).length === 0) form.order = orderOf(values);
  return form;
}

/** Returns the payment that a buyer chose for an existing order, or undefined if the form has no permitted method. */
export function readOtherPayment(fields: Fields): { method: string; installments: number } | undefined {
  const method = IMMEDIATE_METHODS.find((each) => each === fields.get('payment'));
  const installments = RULES.installments(fields.get('installments') ?? '1');
  if (!method) return undefined;
  return {
    method,
    installments: method === 'card' && 'value' in installments ? Number(installments.value) : 1,
  };
}

function orderOf(values: Typed): NonNullable<CheckoutForm['order']> {
  const { name, email, phone, document, street, number, complement, district, city, state, zip } = values;
  return {
    buyer: {
      name,
      email,
      phone,
      document,
      address: {
        street,
        number,
        complement: complement || null,
        district,
        city,
        state,
        zipCode: zip,
        country: 'BR',
      },
    },
    service: values.delivery,
    // Only cards support installments.
    payment: {
      method: values.payment,
      installments: values.payment === 'card' ? Number(values.installments) : 1,
    },
  };
}

function text(longest: number, { optional = false } = {}): Rule {
  return (given) => {
    if (given === '' && !optional) return { fault: 'missing' };
    if (given.length > longest) return { fault: 'long' };
    if (/\p{Cc}/u.test(given) || !given.isWellFormed()) return { fault: 'characters' };
    return { value: given };
  };
}

function checked(value: string | undefined, fault: FieldFault): ReturnType<Rule> {
  return value === undefined ? { fault } : { value };
}
