import type { DeliveryOption } from '../../checkout/delivery-options.js';
import { money } from '../../platform/html/money.js';
import { Alert } from '../../platform/html/page.js';
import type { CartView } from '../cart-reads.js';
import type { CheckoutForm } from '../checkout-form.js';
import { FaultSummary } from './checkout-faults.js';
import { DeliveryFields, PaymentFields } from './checkout-fields.js';
import { CHECKOUT_TEXTS } from './checkout-texts.js';
import { KeptAddressFields, KeptBuyerFields } from './kept-checkout-fields.js';
import { Picture } from './product-cards.js';
import { ShopPage, type Visit } from './shell.js';

export type CheckoutNotice =
  | 'changed'
  | 'tooMuch'
  | 'tooManyUnits'
  | 'tooManyOrders'
  | 'shopBusy'
  | 'unavailable';

interface Props {
  visit: Visit;
  cart: CartView;
  options: DeliveryOption[];
  form: CheckoutForm;
  hidden: Record<string, string>;
  notice?: CheckoutNotice | undefined;
}

export function CheckoutPage(props: Props) {
  const { visit, cart, options, form, hidden, notice } = props;
  const { shop, language } = visit;
  const texts = CHECKOUT_TEXTS[language];
  const faults = Object.keys(form.faults).length;
  const cheapest = cart.subtotal + (options[0]?.cost ?? 0);
  return (
    <ShopPage visit={visit} title={texts.title} plain>
      <h1>{texts.title}</h1>
      {notice && <Alert>{notice === 'tooManyUnits' ? texts.tooManyUnits(shop) : texts[notice]}</Alert>}
      {faults > 0 && <FaultSummary language={language} form={form} />}
      <form method="post" action={`/s/${shop.slug}/checkout`} class="columns checkout" noValidate>
        {/* Enter in a field activates the first button of the form, which must not be the one that only requests a
            quote. */}
        {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: Tab does not reach the button, only Enter activates it */}
        <button type="submit" class="visually-hidden" tabindex={-1} aria-hidden="true" />
        {Object.entries(hidden).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <Items visit={visit} cart={cart} options={options} />
        <div class="fields">
          <KeptBuyerFields language={language} form={form} />
          <KeptAddressFields language={language} form={form} />
          <DeliveryFields language={language} form={form} options={options} />
          <PaymentFields language={language} form={form} total={cheapest} />
        </div>
        <Totals visit={visit} cart={cart} options={options} />
      </form>
    </ShopPage>
  );
}

type SummaryProps = Pick<Props, 'visit' | 'cart' | 'options'>;

/**
 * The items of the order. On phones they come first, collapsed to one line with the total. On wide screens they are
 * next to the form, and always visible if the browser supports ::details-content. There is one total for each delivery
 * service. If the browser supports :has(), the style sheet shows only the total for the chosen service.
 */
function Items({ visit, cart, options }: SummaryProps) {
  const { language } = visit;
  const texts = CHECKOUT_TEXTS[language];
  return (
    <details class="summary items">
      <summary>
        <span>{texts.summary}</span>
        {options.map(({ service, cost }) => (
          <strong key={service} class={`with-${service}`}>
            {money(cart.subtotal + cost, language)}
          </strong>
        ))}
      </summary>
      <ul class="bought">
        {cart.lines
          .flatMap(({ bought, cover }) => (bought ? [{ ...bought, cover }] : []))
          .map(({ sellable, quantity, cover }) => (
            <li key={`${sellable.productId} ${sellable.variantId}`}>
              <Picture url={cover} name={sellable.name} sizes="4rem" resizedFrom={visit.resizedFrom} />
              <span>
                {quantity} × {sellable.name}
                {sellable.combination && <small class="hint">{sellable.combination}</small>}
              </span>
              <span>{money(sellable.unitPrice * quantity, language)}</span>
            </li>
          ))}
      </ul>
    </details>
  );
}

function Totals({ visit, cart, options }: SummaryProps) {
  const { shop, language } = visit;
  const texts = CHECKOUT_TEXTS[language];
  return (
    <aside class="summary">
      <dl class="totals">
        <div>
          <dt>{texts.subtotal}</dt>
          <dd>{money(cart.subtotal, language)}</dd>
        </div>
        {options.map(({ service, cost }) => (
          <div key={service} class={`with-${service}`}>
            <dt>
              {texts.freight} <small class="hint">{texts.services[service]}</small>
            </dt>
            <dd>{cost === 0 ? texts.free : money(cost, language)}</dd>
          </div>
        ))}
        {options.map(({ service, cost }) => (
          <div key={service} class={`total with-${service}`}>
            <dt>
              {texts.total} <small class="hint">{texts.services[service]}</small>
            </dt>
            <dd>{money(cart.subtotal + cost, language)}</dd>
          </div>
        ))}
      </dl>
      <button type="submit" class="wide">
        {texts.place}
      </button>
      <p class="hint">{texts.next}</p>
      <p>
        <a href={`/s/${shop.slug}/cart`}>{texts.back}</a>
      </p>
    </aside>
  );
}
