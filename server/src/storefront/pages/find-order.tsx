import { CheckoutField } from './checkout-field.js';
import { ShopPage, type Visit } from './shell.js';

const TEXTS = {
  en: {
    title: 'Find your order',
    about: 'Enter the number of the order and the e-mail that you used to place it.',
    number: 'Order number',
    numberHint: 'For example 1042',
    email: 'E-mail',
    find: 'Find order',
    faults: {
      unknown: 'No order has this number and e-mail. Check both and try again.',
      tooMany: 'Too many attempts. Try again in ten minutes.',
    },
  },
  pt: {
    title: 'Encontrar meu pedido',
    about: 'Informe o número do pedido e o e-mail usado na compra.',
    number: 'Número do pedido',
    numberHint: 'Por exemplo, 1042',
    email: 'E-mail',
    find: 'Buscar pedido',
    faults: {
      unknown: 'Nenhum pedido encontrado com esse número e e-mail. Confira os dados e tente novamente.',
      tooMany: 'Muitas tentativas. Tente novamente em dez minutos.',
    },
  },
};

export function FindOrderPage(props: {
  visit: Visit;
  typed?: { number: string; email: string };
  fault?: keyof (typeof TEXTS)['en']['faults'];
}) {
  const { visit, typed, fault } = props;
  const texts = TEXTS[visit.language];
  return (
    <ShopPage visit={visit} title={texts.title}>
      <div class="narrow">
        <h1>{texts.title}</h1>
        {fault && (
          <p class="alert" role="alert" tabindex={-1} autofocus>
            {texts.faults[fault]}
          </p>
        )}
        <p>{texts.about}</p>
        <form method="post" action={`/s/${visit.shop.slug}/orders`} noValidate>
          <CheckoutField
            name="number"
            label={texts.number}
            hint={texts.numberHint}
            value={typed?.number ?? ''}
            inputmode="numeric"
            maxLength={20}
          />
          <CheckoutField
            name="email"
            label={texts.email}
            type="email"
            inputmode="email"
            autocomplete="email"
            value={typed?.email ?? ''}
            maxLength={254}
          />
          <button type="submit">{texts.find}</button>
        </form>
      </div>
    </ShopPage>
  );
}
