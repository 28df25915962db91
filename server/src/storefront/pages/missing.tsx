import type { Language } from '../../platform/html/language.js';
import { Head, ShopPage, type Visit } from './shell.js';

const TEXTS = {
  en: {
    noShop: 'There is no shop at this address',
    noShopMore: 'Check the address for a slip, or ask the shop for its link.',
    title: 'This page is not there',
    more: 'It may have been sold out and taken down, or the link has a slip in it.',
    home: 'See everything in the shop',
    noOrders: 'This shop cannot take orders yet',
    noOrdersMore: 'It has no way to receive payments. Your cart is kept; come back later.',
  },
  pt: {
    noShop: 'Não há loja neste endereço',
    noShopMore: 'Confira o endereço ou peça o link à loja.',
    title: 'Esta página não existe',
    more: 'O produto pode ter saído do ar, ou o link tem um erro.',
    home: 'Ver tudo na loja',
    noOrders: 'Esta loja ainda não recebe pedidos',
    noOrdersMore: 'Ela ainda não tem como receber pagamentos. Seu carrinho fica guardado; volte mais tarde.',
  },
};

export function NoShopPage({ language }: { language: Language }) {
  const texts = TEXTS[language];
  return (
    <html lang={language === 'pt' ? 'pt-BR' : 'en'}>
      <Head title={texts.noShop} />
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

/** For a server without a payment gateway. */
export function NoOrdersPage({ visit }: { visit: Visit }) {
  const { noOrders, noOrdersMore } = TEXTS[visit.language];
  return <LostPage visit={visit} title={noOrders} more={noOrdersMore} />;
}

function LostPage({ visit, title, more }: { visit: Visit; title: string; more: string }) {
  return (
    <ShopPage visit={visit} title={title}>
      <div class="lost">
        <h1>{title}</h1>
        <p>{more}</p>
        <p>
          <a class="button" href={`/s/${visit.shop.slug}`}>
            {TEXTS[visit.language].home}
          </a>
        </p>
      </div>
    </ShopPage>
  );
}
