import type { DeliveryOption } from '../../checkout/delivery-options.js';
import type { Language } from '../../platform/html/language.js';
import { money } from '../../platform/html/money.js';
import { Alert } from '../../platform/html/page.js';
import { STATES } from '../brazil.js';
import type { CartView } from '../cart-view.js';
import { type CheckoutForm, METHODS, MOST_INSTALLMENTS } from '../checkout-form.js';
import { CHECKOUT_TEXTS } from './checkout-texts.js';
import { Field } from './field.js';
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
  return (
    <ShopPage visit={visit} title={texts.title}>
      <h1>{texts.title}</h1>
      {notice && <Alert>{notice === 'tooManyUnits' ? texts.tooManyUnits(shop) : texts[notice]}</Alert>}
      {faults > 0 && <Alert>{texts.check(faults)}</Alert>}
      <form method="post" action={`/s/${shop.slug}/checkout`} class="columns checkout" noValidate>
        {/* Enter in a field presses the first button of a form: it shall not be the one that only quotes. */}
        {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: it cannot be reached by Tab, only Enter finds it */}
        <button type="submit" class="unseen" tabindex={-1} aria-hidden="true" />
        {Object.entries(hidden).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <div>
          <Who language={language} form={form} />
          <Where language={language} form={form} />
          <Delivery language={language} form={form} options={options} />
          <Payment language={language} form={form} />
        </div>
        <Summary visit={visit} cart={cart} options={options} />
      </form>
    </ShopPage>
  );
}

type Section = { language: Language; form: CheckoutForm };

function fieldOf({ language, form: { typed, faults } }: Section) {
  const texts = CHECKOUT_TEXTS[language];
  return (name: keyof typeof texts.labels) => {
    const fault = faults[name];
    return { name, label: texts.labels[name], value: typed[name], fault: fault && texts.faults[fault] };
  };
}

function Who(props: Section) {
  const texts = CHECKOUT_TEXTS[props.language];
  const field = fieldOf(props);
  return (
    <fieldset>
      <legend>{texts.who}</legend>
      <Field {...field('name')} autocomplete="name" maxLength={120} />
      <Field {...field('email')} type="email" autocomplete="email" hint={texts.hints.email} maxLength={254} />
      <Field {...field('phone')} type="tel" autocomplete="tel" hint={texts.hints.phone} class="half" />
      <Field {...field('document')} inputmode="numeric" class="half" maxLength={20} />
    </fieldset>
  );
}

function Where(props: Section) {
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
      <Field
        {...field('zip')}
        inputmode="numeric"
        autocomplete="postal-code"
        maxLength={10}
        beside={refresh}
      />
      <Field {...field('street')} autocomplete="address-line1" maxLength={160} class="most" />
      <Field {...field('number')} class="least" maxLength={20} />
      <Field {...field('complement')} autocomplete="address-line2" maxLength={80} class="half" optional />
      <Field {...field('district')} autocomplete="address-level3" maxLength={100} class="half" />
      <Field {...field('city')} autocomplete="address-level2" maxLength={100} class="most" />
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

function Delivery({ language, form, options }: Section & { options: DeliveryOption[] }) {
  const texts = CHECKOUT_TEXTS[language];
  const chosen = options.find(({ service }) => service === form.typed.delivery) ?? options[0];
  return (
    <fieldset class="options">
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

function Payment({ language, form }: Section) {
  const texts = CHECKOUT_TEXTS[language];
  const chosen = METHODS.find((method) => method === form.typed.payment) ?? METHODS[0];
  return (
    <fieldset class="options">
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
          {Array.from({ length: MOST_INSTALLMENTS }, (_, at) => String(at + 1)).map((count) => (
            <option key={count} value={count} selected={count === form.typed.installments}>
              {texts.times(Number(count))}
            </option>
          ))}
        </select>
        {form.faults.installments && <small class="fault">{texts.faults.choice}</small>}
      </div>
    </fieldset>
  );
}

/** One total for each way of delivery; the stylesheet shows the one that is chosen. */
function Summary({ visit, cart, options }: Pick<Props, 'visit' | 'cart' | 'options'>) {
  const { shop, language } = visit;
  const texts = CHECKOUT_TEXTS[language];
  return (
    <aside class="summary">
      <h2>{texts.summary}</h2>
      <ul class="bought">
        {cart.items.map(({ sellable, quantity }) => (
          <li key={`${sellable.productId} ${sellable.variantId}`}>
            <span>
              {quantity} × {sellable.name}
              {sellable.combination && <small class="hint">{sellable.combination}</small>}
            </span>
            <span>{money(sellable.unitPrice * quantity, language)}</span>
          </li>
        ))}
      </ul>
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

/** Asked first, because the price of delivery hangs on it. */
export function PostalCodePage({ visit, zip, isWrong }: { visit: Visit; zip: string; isWrong: boolean }) {
  const { shop, language } = visit;
  const texts = CHECKOUT_TEXTS[language];
  return (
    <ShopPage visit={visit} title={texts.title}>
      <div class="narrow">
        <h1>{texts.where}</h1>
        <form action={`/s/${shop.slug}/checkout`} noValidate>
          <Field
            name="zip"
            label={texts.labels.zip}
            value={zip}
            fault={isWrong ? texts.faults.zip : undefined}
            hint={texts.zipFirst}
            inputmode="numeric"
            autocomplete="postal-code"
            maxLength={10}
          />
          <button type="submit">{texts.go}</button>
        </form>
        <p>
          <a href={`/s/${shop.slug}/cart`}>{texts.back}</a>
        </p>
      </div>
    </ShopPage>
  );
}
