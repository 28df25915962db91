import type { DeliveryOption } from '../../checkout/delivery-options.js';
import type { Language } from '../../platform/html/language.js';
import { money } from '../../platform/html/money.js';
import { type CheckoutForm, METHODS } from '../checkout-form.js';
import { MAX_INSTALLMENTS, partOf } from '../installments.js';
import { STATES } from '../postal-codes.js';
import { CheckoutField } from './checkout-field.js';
import { CHECKOUT_TEXTS } from './checkout-texts.js';

export type Section = { language: Language; form: CheckoutForm };

function fieldOf({ language, form: { typed, faults } }: Section) {
  const texts = CHECKOUT_TEXTS[language];
  return (name: keyof typeof texts.labels) => {
    const fault = faults[name];
    return { name, label: texts.labels[name], value: typed[name], fault: fault && texts.faults[fault] };
  };
}

export function BuyerFields(props: Section) {
  const texts = CHECKOUT_TEXTS[props.language];
  const field = fieldOf(props);
  return (
    <fieldset>
      <legend>{texts.who}</legend>
      <CheckoutField {...field('name')} autocomplete="name" maxLength={120} />
      <CheckoutField
        {...field('email')}
        type="email"
        autocomplete="email"
        hint={texts.hints.email}
        maxLength={254}
      />
      <CheckoutField
        {...field('phone')}
        type="tel"
        autocomplete="tel"
        hint={texts.hints.phone}
        class="half"
      />
      {/* No numeric keyboard: a CNPJ may have letters. */}
      <CheckoutField {...field('document')} autocapitalize="characters" class="half" maxLength={20} />
    </fieldset>
  );
}

export function AddressFields(props: Section) {
  const texts = CHECKOUT_TEXTS[props.language];
  const field = fieldOf(props);
  const fault = field('state').fault;
  const refresh = (
    <button type="submit" name="action" value="quote" class="quiet">
      {texts.update}
    </button>
  );
  return (
    <fieldset>
      <legend>{texts.address}</legend>
      <CheckoutField
        {...field('zip')}
        inputmode="numeric"
        autocomplete="postal-code"
        maxLength={10}
        beside={refresh}
      />
      <CheckoutField {...field('street')} autocomplete="address-line1" maxLength={160} class="most" />
      <CheckoutField {...field('number')} class="least" maxLength={20} />
      <CheckoutField
        {...field('complement')}
        autocomplete="address-line2"
        maxLength={80}
        class="half"
        optional
      />
      <CheckoutField {...field('district')} autocomplete="address-level3" maxLength={100} class="half" />
      <CheckoutField {...field('city')} autocomplete="address-level2" maxLength={100} class="most" />
      <div class="field least">
        <label for="state">{texts.labels.state}</label>
        <select
          id="state"
          name="state"
          required
          autocomplete="address-level1"
          aria-invalid={fault ? 'true' : undefined}
          aria-describedby={fault && 'state-fault'}
        >
          <option value="">{texts.choose}</option>
          {STATES.map((state) => (
            <option key={state} value={state} selected={state === props.form.typed.state.toUpperCase()}>
              {state}
            </option>
          ))}
        </select>
        {fault && (
          <small id="state-fault" class="fault">
            {fault}
          </small>
        )}
      </div>
    </fieldset>
  );
}

export function DeliveryFields({ language, form, options }: Section & { options: DeliveryOption[] }) {
  const texts = CHECKOUT_TEXTS[language];
  const chosen = options.find(({ service }) => service === form.typed.delivery) ?? options[0];
  return (
    <fieldset class="options" id="delivery-options">
      <legend>{texts.delivery}</legend>
      {options.length === 0 && <p class="hint">{texts.zipFirst}</p>}
      {options.map((option) => (
        <label key={option.service}>
          <input type="radio" name="delivery" value={option.service} checked={option === chosen} />
          <span>
            <strong>{texts.services[option.service]}</strong>
            {option.days > 0 && <small class="hint">{texts.days(option.days)}</small>}
          </span>
          <b>{option.cost === 0 ? texts.free : money(option.cost, language)}</b>
        </label>
      ))}
      {form.faults.delivery && <small class="fault">{texts.faults.choice}</small>}
    </fieldset>
  );
}

/**
 * The installments are computed from `total`, which includes the cheapest delivery if the postal code is known. The
 * payment page shows the exact installments for the chosen delivery.
 */
export function PaymentFields({ language, form, total }: Section & { total: number }) {
  const texts = CHECKOUT_TEXTS[language];
  const chosen = METHODS.find((method) => method === form.typed.payment) ?? METHODS[0];
  return (
    <fieldset class="options" id="payment-options">
      <legend>{texts.payment}</legend>
      {METHODS.map((method) => (
        <label key={method}>
          <input type="radio" name="payment" value={method} checked={method === chosen} />
          <span>
            <strong>{texts.methods[method]}</strong>
            <small class="hint">{texts.about[method]}</small>
          </span>
        </label>
      ))}
      {form.faults.payment && <small class="fault">{texts.faults.choice}</small>}
      <div class="field installments">
        <label for="installments">{texts.labels.installments}</label>
        <select id="installments" name="installments">
          {Array.from({ length: MAX_INSTALLMENTS }, (_, at) => String(at + 1)).map((count) => (
            <option key={count} value={count} selected={count === form.typed.installments}>
              {texts.times(Number(count), money(partOf(total, Number(count)), language))}
            </option>
          ))}
        </select>
        {form.faults.installments && <small class="fault">{texts.faults.choice}</small>}
      </div>
    </fieldset>
  );
}
