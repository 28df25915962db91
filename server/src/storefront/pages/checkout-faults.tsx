import type { Language } from '../../platform/html/language.js';
import type { CheckoutForm, FieldName } from '../checkout-form.js';
import { CHECKOUT_TEXTS } from './checkout-texts.js';

/** These values are chosen with radio buttons, so the link of their error leads to the whole group. */
const TARGETS: Partial<Record<FieldName, string>> = {
  delivery: 'delivery-options',
  payment: 'payment-options',
};

/** Lists the errors with links to their fields. The list gets the focus, so that screen readers announce it first. */
export function FaultSummary({ language, form: { faults } }: { language: Language; form: CheckoutForm }) {
  const texts = CHECKOUT_TEXTS[language];
  const entries = Object.entries(faults) as [FieldName, keyof typeof texts.faults][];
  const labels: Record<FieldName, string> = {
    ...texts.labels,
    delivery: texts.delivery,
    payment: texts.payment,
  };
  return (
    <div class="alert" role="alert" tabindex={-1} autofocus>
      <h2>{texts.check(entries.length)}</h2>
      <ul>
        {entries.map(([field, fault]) => (
          <li key={field}>
            <a href={`#${TARGETS[field] ?? field}`}>
              {labels[field]}: {texts.faults[fault]}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
