import { html } from '../../platform/html/html-template.js';
import { KeptHtml } from '../../platform/html/kept-html.js';
import type { Language } from '../../platform/html/language.js';
import { money } from '../../platform/html/money.js';
import type { FreightPreview } from '../freight-preview.js';
import { CheckoutField } from './checkout-field.js';
import { CHECKOUT_TEXTS } from './checkout-texts.js';

const TEXTS = {
  en: { title: 'Delivery', calculate: 'Calculate', hint: 'Enter your CEP to see cost and delivery time.' },
  pt: { title: 'Entrega', calculate: 'Calcular', hint: 'Informe o CEP para ver o custo e o prazo.' },
};

/** The field for the postal code while it is empty. */
const kept = new KeptHtml(2);

/** Shows the cost of delivery to a postal code. The form reloads the page with the result. */
export function Freight(props: {
  language: Language;
  variantId: string | undefined;
  preview: FreightPreview | undefined;
}) {
  const { language, variantId, preview } = props;
  const texts = TEXTS[language];
  const { faults, labels } = CHECKOUT_TEXTS[language];
  const field = () => (
    <CheckoutField
      name="zip"
      label={labels.zip}
      value={preview?.zip ?? ''}
      fault={preview?.fault && faults[preview.fault]}
      {...(!preview && { hint: texts.hint })}
      inputmode="numeric"
      autocomplete="postal-code"
      maxLength={10}
      beside={
        <button type="submit" class="quiet">
          {texts.calculate}
        </button>
      }
    />
  );
  return html`
    <section id="freight" class="freight">
      <h2>${texts.title}</h2>
      <form action="#freight" novalidate>
        ${variantId && html`<input type="hidden" name="v" value="${variantId}"/>`}
        ${preview ? field() : kept.of(language, field)}
      </form>
      ${preview && preview.options.length > 0 && costs(preview.options, language)}
    </section>`;
}

function costs(options: FreightPreview['options'], language: Language) {
  const { services, days, free } = CHECKOUT_TEXTS[language];
  return (
    <dl class="totals">
      {options.map((option) => (
        <div key={option.service}>
          <dt>
            {services[option.service]}
            {option.days > 0 && <small class="hint"> {days(option.days)}</small>}
          </dt>
          <dd>{option.cost === 0 ? free : money(option.cost, language)}</dd>
        </div>
      ))}
    </dl>
  );
}
