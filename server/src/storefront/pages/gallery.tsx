import { type Item, type ItemVariation, picturesFor } from '../item.js';
import { Picture } from './product-cards.js';
import type { Visit } from './shell.js';

const TEXTS = {
  en: { pictures: 'Pictures', picture: (at: number) => `Picture ${at}` },
  pt: { pictures: 'Imagens', picture: (at: number) => `Imagem ${at}` },
};

/** The pictures of a product. If there are several, they scroll horizontally, and thumbnails below link to them. */
export function Gallery(props: { visit: Visit; item: Item; chosen: ItemVariation | undefined }) {
  const { visit, item, chosen } = props;
  const texts = TEXTS[visit.language];
  const pictures = picturesFor(item, chosen);
  const { resizedFrom } = visit;
  const large = { name: item.name, sizes: '(max-width: 46rem) 100vw, 36rem', resizedFrom };
  if (pictures.length <= 1)
    return (
      <div class="gallery">
        <Picture {...large} url={pictures[0]} alt={item.name} eager />
      </div>
    );
  return (
    <div class="gallery">
      <section class="strip" aria-label={texts.pictures} tabindex={0}>
        {pictures.map((url, at) => (
          <div key={url} id={`picture-${at + 1}`}>
            <Picture {...large} url={url} alt={`${item.name}, ${at + 1}`} eager={at === 0} />
          </div>
        ))}
      </section>
      <ul class="thumbs">
        {pictures.map((url, at) => (
          <li key={url}>
            <a href={`#picture-${at + 1}`} aria-label={texts.picture(at + 1)}>
              <Picture url={url} name={item.name} sizes="5rem" resizedFrom={resizedFrom} />
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
