import type { Language } from '../../platform/html/language.js';
import { Head, ShopPage, type Visit } from './shell.js';

const TEXTS = {
  en: {
    noShop: 'There is no shop at this address',
    noShopMore: 'Check the address for a slip, or ask the shop for its link.',
    title: 'This page is not there',
    more: 'It may have been sold out and taken down, or the link has a slip in it.',
    home: 'See everything in the shop',
  },
  pt: {
    noShop: 'Não há loja neste endereço',
    noShopMore: 'Confira o endereço ou peça o link à loja.',
    title: 'Esta página não existe',
    more: 'O produto pode ter saído do ar, ou o link tem um erro.',
    home: 'Ver tudo na loja',
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
  const texts = TEXTS[visit.language];
  return (
    <ShopPage visit={visit} title={texts.title}>
      <div class="lost">
        <h1>{texts.title}</h1>
        <p>{texts.more}</p>
        <p>
          <a class="button" href={`/s/${visit.shop.slug}`}>
            {texts.home}
          </a>
        </p>
      </div>
    </ShopPage>
  );
}
