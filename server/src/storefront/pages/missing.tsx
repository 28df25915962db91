import { describeError } from '../../platform/html/error-page.js';
import type { Language } from '../../platform/html/language.js';
import { Page } from '../../platform/html/page.js';
import type { ApiError } from '../../platform/http/errors.js';
import { ShopPage, type Visit } from './shell.js';

const TEXTS = {
  en: {
    noShop: 'Shop not found',
    noShopMore: 'Check the address, or ask the shop for its link.',
    start: 'Go to the start page',
    reference: 'Reference',
    title: 'Page not found',
    more: 'The product may no longer be available, or the link may be wrong.',
    order: 'Order not found',
    orderMore: 'The link may be incomplete. You can also find the order by its number and your e-mail.',
    find: 'Find your order',
    home: 'View all products',
    noOrders: 'This shop does not accept orders yet',
    noOrdersMore: 'It has no payment method yet. Your cart is saved; come back later.',
    unpayable: 'This order cannot be paid now',
    unpayableMore: 'The shop has no payment method at the moment. Contact the shop.',
  },
  pt: {
    noShop: 'Loja não encontrada',
    noShopMore: 'Confira o endereço ou peça o link à loja.',
    start: 'Ir para a página inicial',
    reference: 'Referência',
    title: 'Página não encontrada',
    more: 'O produto pode não estar mais disponível ou o link pode estar incorreto.',
    order: 'Pedido não encontrado',
    orderMore: 'O link pode estar incompleto. Você também pode buscar o pedido pelo número e e-mail.',
    find: 'Encontrar meu pedido',
    home: 'Ver todos os produtos',
    noOrders: 'Esta loja ainda não aceita pedidos',
    noOrdersMore: 'Ela ainda não tem uma forma de pagamento. Seu carrinho ficará salvo; volte mais tarde.',
    unpayable: 'Não é possível pagar este pedido agora',
    unpayableMore: 'A loja está sem forma de pagamento no momento. Entre em contato com a loja.',
  },
};

export function NoShopPage({ language }: { language: Language }) {
  const texts = TEXTS[language];
  return (
    <Page language={language} title={texts.noShop}>
      <h1>{texts.noShop}</h1>
      <p>{texts.noShopMore}</p>
      <p class="actions">
        <a class="button" href="/">
          {texts.start}
        </a>
      </p>
    </Page>
  );
}

/** Shows an error in the layout of the shop, so that the buyer can continue there. */
export function FailedPage(props: { visit: Visit; error: ApiError; requestId: string }) {
  const { visit, error, requestId } = props;
  const { title, text } = describeError(error, visit.language);
  return (
    <LostPage
      visit={visit}
      title={title}
      more={text}
      hint={`${TEXTS[visit.language].reference}: ${requestId}`}
    />
  );
}

export function MissingPage({ visit }: { visit: Visit }) {
  const { title, more } = TEXTS[visit.language];
  return <LostPage visit={visit} title={title} more={more} />;
}

/** Shown for a wrong key as well as for an unknown order, so that a guess reveals nothing. */
export function MissingOrderPage({ visit }: { visit: Visit }) {
  const { order, orderMore, find } = TEXTS[visit.language];
  const next = { address: `/s/${visit.shop.slug}/orders`, label: find };
  return <LostPage visit={visit} title={order} more={orderMore} next={next} />;
}

/** Shown at checkout by a server without a payment gateway. */
export function NoOrdersPage({ visit }: { visit: Visit }) {
  const { noOrders, noOrdersMore } = TEXTS[visit.language];
  return <LostPage visit={visit} title={noOrders} more={noOrdersMore} />;
}

/** Shown when a buyer tries to pay an order on a server that no longer has a payment gateway. */
export function UnpayableOrderPage({ visit }: { visit: Visit }) {
  const { unpayable, unpayableMore } = TEXTS[visit.language];
  return <LostPage visit={visit} title={unpayable} more={unpayableMore} />;
}

function LostPage(props: {
  visit: Visit;
  title: string;
  more: string;
  hint?: string;
  /** Where the link leads. Default: the product list. */
  next?: { address: string; label: string };
}) {
  const { visit, title, more, hint } = props;
  const { address, label } = props.next ?? {
    address: `/s/${visit.shop.slug}`,
    label: TEXTS[visit.language].home,
  };
  return (
    <ShopPage visit={visit} title={title}>
      <div class="lost">
        <h1>{title}</h1>
        <p>{more}</p>
        {hint && <p class="hint">{hint}</p>}
        <p>
          <a class="button" href={address}>
            {label}
          </a>
        </p>
      </div>
    </ShopPage>
  );
}
