import { ShopPage, type Visit } from './shell.js';

const TEXTS = {
  en: {
    busy: { title: 'Search is busy', more: 'Try again in a few seconds.' },
    tooMany: { title: 'Too many searches', more: 'Wait a minute and try again.' },
    home: 'See all products',
  },
  pt: {
    busy: { title: 'A busca está sobrecarregada', more: 'Tente novamente em alguns segundos.' },
    tooMany: { title: 'Muitas buscas', more: 'Aguarde um minuto e tente novamente.' },
    home: 'Ver todos os produtos',
  },
};

export function SearchRefusedPage({ visit, reason }: { visit: Visit; reason: 'busy' | 'tooMany' }) {
  const texts = TEXTS[visit.language];
  const { title, more } = texts[reason];
  return (
    <ShopPage visit={visit} title={title}>
      <div class="lost">
        <h1>{title}</h1>
        <p>{more}</p>
        <p>
          <a class="button" href={`/s/${visit.shop.slug}`}>
            {texts.home}
          </a>
        </p>
      </div>
    </ShopPage>
  );
}
