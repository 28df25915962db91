import { attribute, html } from '../../platform/html/html-template.js';
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

interface Props {
  visit: Visit;
  item: Item;
  chosen: ItemVariation | undefined;
  fault?: AddFault | undefined;
  freight?: FreightPreview | undefined;
  /** The full address of the page without a chosen variation. */
  canonical: string;
}

export function ProductPage(props: Props) {
  const { visit, item, chosen, fault, freight } = props;
  const { shop, language } = visit;
  const texts = TEXTS[language];
  const left = chosen ? chosen.quantity : item.stock;
  const price = priceOf(item, chosen);
  const parts = maxInstallments(price.price);
  const installments = parts > 1 && texts.installments(parts, money(partOf(price.price, parts), language));
  const children = html`
    <article class="product">
      ${Gallery({ visit, item, chosen })}
      <div class="offer">
        <p class="crumb">
          <a href="/s/${shop.slug}?category=${item.categoryId}">${categoryName(item.categoryId, language)}</a>
        </p>
        <h1>${item.name}</h1>
        <div class="cost">
          ${Price({ ...price, language })}
          ${SaleBadge({ ...price, language })}
          ${installments && html`<p class="hint">${installments}</p>`}
        </div>
        ${chosen && Choices({ visit, item, chosen })}
        ${Stock({ left, language })}
        ${fault && <Alert>{texts.faults[fault]}</Alert>}
        ${left > 0 ? addForm(props, left) : html`<button type="button" class="wide" disabled>${texts.soldOut}</button>`}
        ${Freight({ language, variantId: chosen?.id, preview: freight })}
        ${item.description && html`<h2>${texts.about}</h2><p class="description">${item.description}</p>`}
      </div>
    </article>`;
  return ShopPage({ visit, title: item.name, about: describe(props), children });
}

function addForm({ visit: { shop, language }, item, chosen }: Props, left: number) {
  const texts = TEXTS[language];
  return html`
    <form method="post" action="/s/${shop.slug}/cart" class="add">
      <input type="hidden" name="product" value="${item.id}"/>
      <input type="hidden" name="variant"${attribute('value', chosen?.id ?? '')}/>
      <label>
        ${texts.quantity}
        <input type="number" name="quantity" value="1" min="1" max="${Math.min(left, CART_MAX_QUANTITY)}"
          inputmode="numeric"/>
      </label>
      <button type="submit">${texts.add}</button>
    </form>`;
}

function describe({ visit, item, chosen, canonical }: Props) {
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
  const rows = choicesOf(item, chosen).map(({ name, choices }, at) => {
    const links = choices.map((choice) => html`<li>${choiceLink(choice, texts.out)}</li>`);
    return html`
      <div>
        <p id="type-${at}">${name || texts.option}</p>
        <ul aria-labelledby="type-${at}">${links}</ul>
      </div>`;
  });
  return html`<div class="choices" id="options">${rows}</div>`;
}

function choiceLink({ label, variation, chosen }: Choice, out: string) {
  const note = !variation?.quantity && html`<span class="visually-hidden"> (${out})</span>`;
  if (!variation) return html`<span class="choice out">${label}${note}</span>`;
  return html`
    <a class="${variation.quantity > 0 ? 'choice' : 'choice out'}" href="?v=${variation.id}#options"${attribute('aria-current', chosen ? 'true' : undefined)}>
      ${label}${note}
    </a>`;
}
