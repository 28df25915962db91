import { money } from '../../platform/html/money.js';
import { CART_MAX_QUANTITY, lineName } from '../cart.js';
import type { CartLine, CartView } from '../cart-reads.js';
import { productAddress } from '../product-address.js';
import { Picture } from './product-cards.js';
import { ShopPage, type Visit } from './shell.js';

const TEXTS = {
  en: {
    title: 'Cart',
    empty: 'Your cart is empty.',
    shop: 'View products',
    quantity: 'Quantity',
    update: 'Update quantities',
    more: 'Continue shopping',
    unpaid: 'You have placed an order that is not paid yet.',
    resume: 'View the order and pay',
    remove: 'Remove',
    gone: 'No longer for sale',
    removedProduct: 'Product no longer available',
    out: 'Sold out',
    short: (left: number) => `Only ${left} left`,
    each: 'each',
    subtotal: 'Subtotal',
    freight: 'Shipping is calculated at checkout.',
    checkout: 'Checkout',
    unavailable: 'To continue, remove unavailable items or reduce their quantity.',
  },
  pt: {
    title: 'Carrinho',
    empty: 'Seu carrinho está vazio.',
    shop: 'Ver produtos',
    quantity: 'Quantidade',
    update: 'Atualizar quantidades',
    more: 'Continuar comprando',
    unpaid: 'Você fez um pedido que ainda não foi pago.',
    resume: 'Ver o pedido e pagar',
    remove: 'Remover',
    gone: 'Não está mais à venda',
    removedProduct: 'Produto não disponível',
    out: 'Esgotado',
    short: (left: number) => (left === 1 ? 'Só resta 1' : `Só restam ${left}`),
    each: 'cada',
    subtotal: 'Subtotal',
    freight: 'O frete é calculado ao finalizar a compra.',
    checkout: 'Finalizar compra',
    unavailable: 'Para continuar, remova os itens indisponíveis ou reduza a quantidade.',
  },
};

export function CartPage({ visit, cart, csrf }: { visit: Visit; cart: CartView; csrf: string }) {
  const { shop, language } = visit;
  const texts = TEXTS[language];
  const products = `/s/${shop.slug}`;
  return (
    <ShopPage visit={visit} title={texts.title}>
      <h1>{texts.title}</h1>
      {visit.openOrder && (
        <p class="open-order">
          {texts.unpaid} <a href={visit.openOrder}>{texts.resume}</a>
        </p>
      )}
      {cart.lines.length === 0 ? (
        <div class="lost">
          <p>{texts.empty}</p>
          <p>
            <a class="button" href={products}>
              {texts.shop}
            </a>
          </p>
        </div>
      ) : (
        <form method="post" action={`${products}/cart/lines`} class="columns">
          <input type="hidden" name="csrf" value={csrf} />
          {/* Enter in a field activates the first button of the form, which must not be one that removes a line. */}
          {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: Tab does not reach the button, only Enter activates it */}
          <button type="submit" class="visually-hidden" tabindex={-1} aria-hidden="true" />
          <div>
            <ul class="lines">
              {cart.lines.map((line) => (
                <Line key={lineName(line.line)} visit={visit} line={line} />
              ))}
            </ul>
            <p class="below-lines">
              <a href={products}>{texts.more}</a>
              <button type="submit" class="quiet">
                {texts.update}
              </button>
            </p>
          </div>
          <aside class="summary">
            <dl class="totals">
              <div class="total">
                <dt>{texts.subtotal}</dt>
                <dd>{money(cart.subtotal, language)}</dd>
              </div>
            </dl>
            <p class="hint">{cart.sellable ? texts.freight : texts.unavailable}</p>
            {cart.sellable && (
              <button type="submit" name="action" value="checkout" class="wide">
                {texts.checkout}
              </button>
            )}
          </aside>
        </form>
      )}
    </ShopPage>
  );
}

function Line({ visit, line }: { visit: Visit; line: CartLine }) {
  const { shop, language } = visit;
  const texts = TEXTS[language];
  const { bought, cover } = line;
  const { productId, variantId, quantity } = line.line;
  const { name = texts.removedProduct, combination, stock = 0, unitPrice = 0 } = bought?.sellable ?? {};
  const field = `quantity-${lineName(line.line)}`;
  const address = `${productAddress(shop.slug, { id: productId, name })}${variantId ? `?v=${variantId}` : ''}`;
  return (
    <li>
      <Picture url={cover} name={name} sizes="6rem" resizedFrom={visit.resizedFrom} />
      <div class="what">
        <p>{bought ? <a href={address}>{name}</a> : name}</p>
        {combination && <p class="hint">{combination}</p>}
        {bought && (
          <p class="hint">
            {money(unitPrice, language)} {texts.each}
          </p>
        )}
        {!bought && <p class="fault">{texts.gone}</p>}
        {bought && stock < quantity && <p class="fault">{stock === 0 ? texts.out : texts.short(stock)}</p>}
      </div>
      <p class="sum">{bought && money(unitPrice * quantity, language)}</p>
      <div class="change">
        {bought && stock > 0 && (
          <>
            <label class="visually-hidden" for={field}>
              {texts.quantity}: {name} {combination}
            </label>
            <input
              id={field}
              type="number"
              name={field}
              value={quantity}
              min="1"
              max={Math.min(stock, CART_MAX_QUANTITY)}
              inputmode="numeric"
            />
          </>
        )}
        <button
          type="submit"
          name="remove"
          value={lineName(line.line)}
          class="link"
          aria-label={`${texts.remove}: ${name} ${combination ?? ''}`}
          formNoValidate
        >
          {texts.remove}
        </button>
      </div>
    </li>
  );
}
