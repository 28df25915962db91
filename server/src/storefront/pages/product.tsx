import { Alert } from '../../platform/html/page.js';
import { CART_MAX_QUANTITY } from '../cart.js';
import { categoryName } from '../category-names.js';
import { type Choice, choicesOf, type Item, type ItemVariation, priceOf } from '../item.js';
import { Picture, Price, Stock } from './product-cards.js';
import { ShopPage, type Visit } from './shell.js';

export type AddFault = 'quantity' | 'full';

const TEXTS = {
  en: {
    pictures: 'Pictures',
    picture: (at: number) => `Picture ${at}`,
    option: 'Options',
    quantity: 'Quantity',
    add: 'Add to cart',
    out: 'sold out',
    about: 'About this product',
    faults: {
      quantity: `Choose a quantity from 1 to ${CART_MAX_QUANTITY}.`,
      full: 'You cannot add more of this item.',
    },
  },
  pt: {
    pictures: 'Imagens',
    picture: (at: number) => `Imagem ${at}`,
    option: 'Opções',
    quantity: 'Quantidade',
    add: 'Adicionar ao carrinho',
    out: 'esgotado',
    about: 'Sobre este produto',
    faults: {
      quantity: `Escolha uma quantidade de 1 a ${CART_MAX_QUANTITY}.`,
      full: 'Não é possível adicionar mais unidades deste item.',
    },
  },
};

export function ProductPage(props: {
  visit: Visit;
  item: Item;
  chosen: ItemVariation | undefined;
  csrf: string;
  fault?: AddFault | undefined;
}) {
  const { visit, item, chosen, csrf, fault } = props;
  const { shop, language } = visit;
  const texts = TEXTS[language];
  const left = chosen ? chosen.quantity : item.stock;
  return (
    <ShopPage visit={visit} title={item.name}>
      <article class="product">
        <Gallery item={item} language={language} />
        <div class="offer">
          <p class="crumb">
            <a href={`/s/${shop.slug}?category=${item.categoryId}`}>
              {categoryName(item.categoryId, language)}
            </a>
          </p>
          <h1>{item.name}</h1>
          <Price {...priceOf(item, chosen)} language={language} />
          {chosen && <Choices visit={visit} item={item} chosen={chosen} />}
          <Stock left={left} language={language} />
          {fault && <Alert>{texts.faults[fault]}</Alert>}
          {left > 0 && (
            <form method="post" action={`/s/${shop.slug}/cart`} class="add">
              <input type="hidden" name="csrf" value={csrf} />
              <input type="hidden" name="product" value={item.id} />
              <input type="hidden" name="variant" value={chosen?.id ?? ''} />
              <label>
                {texts.quantity}
                <input
                  type="number"
                  name="quantity"
                  value="1"
                  min="1"
                  max={Math.min(left, CART_MAX_QUANTITY)}
                  inputmode="numeric"
                />
              </label>
              <button type="submit">{texts.add}</button>
            </form>
          )}
          {item.description && (
            <>
              <h2>{texts.about}</h2>
              <p class="description">{item.description}</p>
            </>
          )}
        </div>
      </article>
    </ShopPage>
  );
}

/** A horizontally scrollable gallery. The thumbnails below link to the large images. */
function Gallery({ item, language }: { item: Item; language: Visit['language'] }) {
  const texts = TEXTS[language];
  if (item.pictures.length <= 1)
    return (
      <div class="gallery">
        <Picture url={item.pictures[0]} name={item.name} alt={item.name} eager />
      </div>
    );
  return (
    <div class="gallery">
      <section class="strip" aria-label={texts.pictures} tabindex={0}>
        {item.pictures.map((url, at) => (
          <div key={url} id={`picture-${at + 1}`}>
            <Picture url={url} name={item.name} alt={`${item.name}, ${at + 1}`} eager={at === 0} />
          </div>
        ))}
      </section>
      <ul class="thumbs">
        {item.pictures.map((url, at) => (
          <li key={url}>
            <a href={`#picture-${at + 1}`} aria-label={texts.picture(at + 1)}>
              <Picture url={url} name={item.name} />
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Each option is a link to the page with that option selected, so that price and stock always match the selection. */
function Choices({ visit, item, chosen }: { visit: Visit; item: Item; chosen: ItemVariation }) {
  const texts = TEXTS[visit.language];
  return (
    <div class="choices">
      {choicesOf(item, chosen).map(({ name, choices }, at) => (
        <div key={name}>
          <p id={`type-${at}`}>{name || texts.option}</p>
          <ul aria-labelledby={`type-${at}`}>
            {choices.map((choice) => (
              <li key={choice.label}>
                <ChoiceLink choice={choice} out={texts.out} />
              </li>
            ))}
          </ul>
        </div>
      ))}
    </div>
  );
}

function ChoiceLink({ choice: { label, variation, chosen }, out }: { choice: Choice; out: string }) {
  const unavailable = <span class="visually-hidden"> ({out})</span>;
  if (!variation)
    return (
      <span class="choice out">
        {label}
        {unavailable}
      </span>
    );
  return (
    <a
      class={variation.quantity > 0 ? 'choice' : 'choice out'}
      href={`?v=${variation.id}`}
      aria-current={chosen ? 'true' : undefined}
    >
      {label}
      {variation.quantity === 0 && unavailable}
    </a>
  );
}
