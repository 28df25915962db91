import { KeptHtml } from '../../platform/html/kept-html.js';
import { type FieldName, NOTHING_TYPED } from '../checkout-form.js';
import { AddressFields, BuyerFields, type Section } from './checkout-fields.js';

const BUYER: FieldName[] = ['name', 'email', 'phone', 'document'];
/** The fields of the address that the shop fills in, and those that only the buyer can enter. */
const KNOWN: FieldName[] = ['zip', 'city', 'state'];
const ENTERED: FieldName[] = ['street', 'number', 'complement', 'district'];

const kept = new KeptHtml(500);

/** Like BuyerFields. The HTML is kept if the buyer has not entered anything yet. */
export function KeptBuyerFields(props: Section) {
  const fields = () => <BuyerFields {...props} />;
  return isUntouched(props, BUYER) ? kept.of(`buyer ${props.language}`, fields) : fields();
}

/** Like AddressFields. The HTML is kept if it contains only what the shop has filled in. */
export function KeptAddressFields(props: Section) {
  const { typed, faults } = props.form;
  const fields = () => <AddressFields {...props} />;
  if (!isUntouched(props, ENTERED) || KNOWN.some((name) => faults[name])) return fields();
  return kept.of(JSON.stringify([props.language, ...KNOWN.map((name) => typed[name])]), fields);
}

function isUntouched({ form: { typed, faults } }: Section, names: FieldName[]): boolean {
  return names.every((name) => typed[name] === NOTHING_TYPED[name] && !faults[name]);
}
