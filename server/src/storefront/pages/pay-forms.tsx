import type { OrderRecord } from '../../orders/records.js';
import { money } from '../../platform/html/money.js';
import { IMMEDIATE_METHODS } from '../checkout-form.js';
import { MAX_INSTALLMENTS, partOf } from '../installments.js';
import { CHECKOUT_TEXTS } from './checkout-texts.js';
import type { Visit } from './shell.js';

const TEXTS = {
  en: {
    pay: 'Pay now',
    other: 'Pay another way',
    choose: 'Choose how to pay',
    proceed: 'Continue to payment',
  },
  pt: {
    pay: 'Pagar agora',
    other: 'Pagar de outra forma',
    choose: 'Escolha a forma de pagamento',
    proceed: 'Continuar para o pagamento',
  },
};

/** The forms to pay an order with its current payment method, or with another one. */
export function PayForms(props: { visit: Visit; order: OrderRecord; orderKey: string; isOpen: boolean }) {
  const { visit, order, orderKey, isOpen } = props;
  const { shop, language } = visit;
  const texts = { ...CHECKOUT_TEXTS[language], ...TEXTS[language] };
  const action = `/s/${shop.slug}/orders/${order.id}/pay`;
  const { method: current, installments } = order.payment;
  return (
    <>
      <form method="post" action={action}>
        <input type="hidden" name="key" value={orderKey} />
        <button type="submit">{texts.pay}</button>
      </form>
      <details open={isOpen}>
        <summary>{texts.other}</summary>
        <form method="post" action={action} class="other-method">
          <input type="hidden" name="key" value={orderKey} />
          <fieldset class="options">
            <legend>{texts.choose}</legend>
            {IMMEDIATE_METHODS.map((method) => (
              <label key={method}>
                <input
                  type="radio"
                  name="payment"
                  value={method}
                  checked={method === (IMMEDIATE_METHODS.find((each) => each !== current) ?? 'pix')}
                />
                <span>
                  <strong>{texts.methods[method]}</strong>
                  <small class="hint">{texts.about[method]}</small>
                </span>
              </label>
            ))}
            <div class="field installments">
              <label for="installments">{texts.labels.installments}</label>
              <select id="installments" name="installments">
                {Array.from({ length: MAX_INSTALLMENTS }, (_, at) => at + 1).map((count) => (
                  <option key={count} value={count} selected={count === installments}>
                    {texts.times(count, money(partOf(order.total, count), language))}
                  </option>
                ))}
              </select>
            </div>
          </fieldset>
          <button type="submit" class="quiet">
            {texts.proceed}
          </button>
        </form>
      </details>
    </>
  );
}
