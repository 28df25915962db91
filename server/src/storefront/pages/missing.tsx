import type { Language } from '../../platform/html/language.js';
import { Head } from '../../stores/pages/head.js';
import { ShopPage, type Visit } from './shell.js';

const TEXTS = {
  en: {
    noShop: 'Shop not found',
    noShopMore: 'Check the address, or ask the shop for its link.',
    title: 'Page not found',
    more: 'The product may no longer be available, or the link may be wrong.',
    order: 'Order not found',
    orderMore: 'The link may be incomplete. You can also find the order by its number and your e-mail.',
    find: 'Find your order',
    home: 'View all products',
    noOrders: 'This shop does not accept orders yet',
    noOrdersMore: 'It has no payment method yet. Your cart is saved; come back later.',
  },
  pt: {
    noShop: 'Loja não encontrada',
    noShopMore: 'Confira o endereço ou peça o link à loja.',
    title: 'Página não encontrada',
    more: 'O produto pode não estar mais disponível ou o link pode estar incorreto.',
    order: 'Pedido não encontrado',
    orderMore: 'O link pode estar incompleto. Você também pode buscar o pedido pelo número e e-mail.',
    find: 'Encontrar meu pedido',
    home: 'Ver todos os produtos',
    noOrders: 'Esta loja ainda não aceita pedidos',
    noOrdersMore: 'Ela ainda não tem uma forma de pagamento. Seu carrinho ficará salvo; volte mais tarde.',
  },
};

export function NoShopPage({ language }: { language: Language }) {
  const texts = TEXTS[language];
  return (
    <html lang={language === 'pt' ? 'pt-BR' : 'en'}>
      <Head title={texts.noShop} language={language} />
      <body>
        <main id="content" class="lost">
          <h1>{texts.noShop}</h1>
          <p>{texts.noShopMore}</p>
        </main>
      </body>
    </html>
  );
}

export function MissingPage({ visit }: { visit: Visit }) {
  const { title, more } = TEXTS[visit.language];
  return <LostPage visit={visit} title={title} more={more} />;
}

/** For a wrong key and an unknown order alike, so that a guess reveals nothing. */
export function MissingOrderPage({ visit }: { visit: Visit }) {
  const { order, orderMore, find } = TEXTS[visit.language];
  const next = { address: `/s/${visit.shop.slug}/orders`, label: find };
  return <LostPage visit={visit} title={order} more={orderMore} next={next} />;
}

/** Shown by a server without a payment gateway. */
export function NoOrdersPage({ visit }: { visit: Visit }) {
  const { noOrders, noOrdersMore } = TEXTS[visit.language];
  return <LostPage visit={visit} title={noOrders} more={noOrdersMore} />;
}

function LostPage(props: {
  visit: Visit;
  title: string;
  more: string;
  /** Where to go; default: the product list. */
  next?: { address: string; label: string };
}) {
  const { visit, title, more } = props;
  const { address, label } = props.next ?? {
    address: `/s/${visit.shop.slug}`,
    label: TEXTS[visit.language].home,
  };
  return (
    <ShopPage visit={visit} title={title}>
      <div class="lost">
        <h1>{title}</h1>
        <p>{more}</p>
        <p>
          <a class="button" href={address}>
            {label}
          </a>
        </p>
      </div>
    </ShopPage>
  );
}
