import { money } from '../../platform/html/money.js';
import { Alert } from '../../platform/html/page.js';
import { CART_MAX_QUANTITY } from '../cart.js';
import { categoryName } from '../category-names.js';
import type { FreightPreview } from '../freight-preview.js';
import { maxInstallments, partOf } from '../installments.js';
import { type Choice, choicesOf, type Item, type ItemVariation, picturesFor, priceOf } from '../item.js';
import { Freight } from './freight.js';
import { Gallery } from './gallery.js';
import { Price, SaleBadge, Stock } from './product-cards.js';
import { ShopPage, type Visit } from './shell.js';

export type AddFault = 'quantity' | 'full';

const TEXTS = {
  en: {
    option: 'Options',
    quantity: 'Quantity',
    add: 'Add to cart',
    out: 'sold out',
    soldOut: 'Sold out',
    installments: (count: number, part: string) => `or up to ${count}× ${part} by card, without interest`,
    about: 'About this product',
    faults: {
      quantity: `Choose a quantity from 1 to ${CART_MAX_QUANTITY}.`,
      full: 'This quantity does not fit in your cart. Remove items first.',
    },
  },
  pt: {
    option: 'Opções',
    quantity: 'Quantidade',
    add: 'Adicionar ao carrinho',
    out: 'esgotado',
    soldOut: 'Esgotado',
    installments: (count: number, part: string) => `ou em até ${count}× de ${part} no cartão, sem juros`,
    about: 'Sobre este produto',
    faults: {
      quantity: `Escolha uma quantidade de 1 a ${CART_MAX_QUANTITY}.`,
      full: 'Essa quantidade não cabe no carrinho. Remova itens primeiro.',
    },
  },
};

export function ProductPage(props: {
  visit: Visit;
  item: Item;
  chosen: ItemVariation | undefined;
  fault?: AddFault | undefined;
  freight?: FreightPreview | undefined;
  /** The full address of the page without a chosen variation. */
  canonical: string;
}) {
  const { visit, item, chosen, fault, freight } = props;
  const { shop, language } = visit;
  const texts = TEXTS[language];
  const left = chosen ? chosen.quantity : item.stock;
  const price = priceOf(item, chosen);
  const count = maxInstallments(price.price);
  return (
    <ShopPage visit={visit} title={item.name} about={describe(props)}>
      <article class="product">
        <Gallery visit={visit} item={item} chosen={chosen} />
        <div class="offer">
          <p class="crumb">
            <a href={`/s/${shop.slug}?category=${item.categoryId}`}>
              {categoryName(item.categoryId, language)}
            </a>
          </p>
          <h1>{item.name}</h1>
          <div class="cost">
            <Price {...price} language={language} />
            <SaleBadge {...price} language={language} />
            {count > 1 && (
              <p class="hint">{texts.installments(count, money(partOf(price.price, count), language))}</p>
            )}
          </div>
          {chosen && <Choices visit={visit} item={item} chosen={chosen} />}
          <Stock left={left} language={language} />
          {fault && <Alert>{texts.faults[fault]}</Alert>}
          {left > 0 ? (
            <form method="post" action={`/s/${shop.slug}/cart`} class="add">
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
          ) : (
            <button type="button" class="wide" disabled>
              {texts.soldOut}
            </button>
          )}
          <Freight language={language} variantId={chosen?.id} preview={freight} />
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

function describe({ visit, item, chosen, canonical }: Parameters<typeof ProductPage>[0]) {
  const { shop, language } = visit;
  const { price } = priceOf(item, chosen);
  const pictures = picturesFor(item, undefined);
  const inStock = item.stock > 0 ? 'InStock' : 'OutOfStock';
  return {
    description: (item.description ?? `${item.name}, ${money(price, language)}, ${shop.name}`).slice(0, 160),
    canonical,
    image: pictures[0],
    data: {
      '@context': 'https://schema.org',
      '@type': 'Product',
      name: item.name,
      description: item.description ?? undefined,
      image: pictures.length > 0 ? pictures : undefined,
      offers: {
        '@type': 'Offer',
        url: canonical,
        price: price.toFixed(2),
        priceCurrency: 'BRL',
        availability: `https://schema.org/${inStock}`,
        seller: { '@type': 'Organization', name: shop.name },
      },
    },
  };
}

/**
 * Each option links to the page with that option selected, so that price and stock always match the selection. An
 * option without a variation has no link.
 */
function Choices({ visit, item, chosen }: { visit: Visit; item: Item; chosen: ItemVariation }) {
  const texts = TEXTS[visit.language];
  return (
    <div class="choices" id="options">
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
      href={`?v=${variation.id}#options`}
      aria-current={chosen ? 'true' : undefined}
    >
      {label}
      {variation.quantity === 0 && unavailable}
    </a>
  );
}
