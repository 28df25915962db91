import type { PostalCodeFault } from '../postal-codes.js';
import { CheckoutField } from './checkout-field.js';
import { CHECKOUT_TEXTS } from './checkout-texts.js';
import { ShopPage, type Visit } from './shell.js';

/** Asks for the postal code before the checkout form is shown, because the delivery cost depends on it. */
export function PostalCodePage({
  visit,
  zip,
  fault,
}: {
  visit: Visit;
  zip: string;
  fault?: PostalCodeFault | undefined;
}) {
  const { shop, language } = visit;
  const texts = CHECKOUT_TEXTS[language];
  return (
    <ShopPage visit={visit} title={texts.title} plain>
      <div class="narrow">
        <h1>{texts.where}</h1>
        <form action={`/s/${shop.slug}/checkout`} noValidate>
          <CheckoutField
            name="zip"
            label={texts.labels.zip}
            value={zip}
            fault={fault && texts.faults[fault]}
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
