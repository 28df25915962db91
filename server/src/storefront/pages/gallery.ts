import { html } from '../../platform/html/html-template.js';
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
    return html`
      <div class="gallery">${Picture({ ...large, url: pictures[0], alt: item.name, eager: true })}</div>`;
  const strip = pictures.map(
    (url, at) => html`
      <div id="picture-${at + 1}">
        ${Picture({ ...large, url, alt: `${item.name}, ${at + 1}`, eager: at === 0 })}
      </div>`,
  );
  const thumbs = pictures.map(
    (url, at) => html`
      <li>
        <a href="#picture-${at + 1}" aria-label="${texts.picture(at + 1)}">
          ${Picture({ url, name: item.name, sizes: '5rem', resizedFrom })}
        </a>
      </li>`,
  );
  return html`
    <div class="gallery">
      <section class="strip" aria-label="${texts.pictures}" tabindex="0">${strip}</section>
      <ul class="thumbs">${thumbs}</ul>
    </div>`;
}
