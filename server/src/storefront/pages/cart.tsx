import { money } from '../../platform/html/money.js';
import { CART_MAX_QUANTITY } from '../cart.js';
import type { CartLine, CartView } from '../cart-view.js';
import { Picture } from './product-cards.js';
import { ShopPage, type Visit } from './shell.js';

const TEXTS = {
  en: {
    title: 'Cart',
    empty: 'Your cart is empty.',
    shop: 'View products',
    quantity: 'Quantity',
    update: 'Update',
    remove: 'Remove',
    gone: 'No longer for sale',
    removedProduct: 'Product no longer available',
    out: 'Sold out',
    short: (left: number) => `Only ${left} left`,
    each: 'each',
    subtotal: 'Subtotal',
    freight: 'Shipping is calculated at checkout.',
    checkout: 'Checkout',
    unavailable: 'Change or remove unavailable items to continue.',
  },
  pt: {
    title: 'Carrinho',
    empty: 'Seu carrinho está vazio.',
    shop: 'Ver produtos',
    quantity: 'Quantidade',
    update: 'Atualizar',
    remove: 'Remover',
    gone: 'Produto indisponível',
    removedProduct: 'Produto não disponível',
    out: 'Esgotado',
    short: (left: number) => (left === 1 ? 'Só resta 1' : `Só restam ${left}`),
    each: 'cada',
    subtotal: 'Subtotal',
    freight: 'O frete é calculado ao finalizar a compra.',
    checkout: 'Finalizar compra',
    unavailable: 'Altere ou remova os itens indisponíveis para continuar.',
  },
};

export function CartPage({ visit, cart, csrf }: { visit: Visit; cart: CartView; csrf: string }) {
  const { shop, language } = visit;
  const texts = TEXTS[language];
  return (
    <ShopPage visit={visit} title={texts.title}>
      <h1>{texts.title}</h1>
      {cart.lines.length === 0 ? (
        <div class="lost">
          <p>{texts.empty}</p>
          <p>
            <a class="button" href={`/s/${shop.slug}`}>
              {texts.shop}
            </a>
          </p>
        </div>
      ) : (
        <div class="columns">
          <ul class="lines">
            {cart.lines.map((line) => (
              <Line
                key={`${line.line.productId} ${line.line.variantId}`}
                visit={visit}
                line={line}
                csrf={csrf}
              />
            ))}
          </ul>
          <aside class="summary">
            <dl class="totals">
              <div class="total">
                <dt>{texts.subtotal}</dt>
                <dd>{money(cart.subtotal, language)}</dd>
              </div>
            </dl>
            <p class="hint">{cart.sellable ? texts.freight : texts.unavailable}</p>
            {cart.sellable && (
              <a class="button wide" href={`/s/${shop.slug}/checkout`}>
                {texts.checkout}
              </a>
            )}
          </aside>
        </div>
      )}
    </ShopPage>
  );
}

function Line({ visit, line, csrf }: { visit: Visit; line: CartLine; csrf: string }) {
  const { shop, language } = visit;
  const texts = TEXTS[language];
  const { bought, cover } = line;
  const { productId, variantId, quantity } = line.line;
  const { name = texts.removedProduct, combination, stock = 0, unitPrice = 0 } = bought?.sellable ?? {};
  const field = `quantity-${variantId ?? productId}`;
  const address = `/s/${shop.slug}/products/${productId}${variantId ? `?v=${variantId}` : ''}`;
  return (
    <li>
      <Picture url={cover} name={name} />
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
        <form method="post" action={`/s/${shop.slug}/cart/lines`} class="change">
          <input type="hidden" name="csrf" value={csrf} />
          <input type="hidden" name="product" value={productId} />
          <input type="hidden" name="variant" value={variantId ?? ''} />
          {bought && stock > 0 && (
            <>
              <label class="visually-hidden" for={field}>
                {texts.quantity}: {name} {combination}
              </label>
              <input
                id={field}
                type="number"
                name="quantity"
                value={quantity}
                min="1"
                max={Math.min(stock, CART_MAX_QUANTITY)}
                inputmode="numeric"
              />
              <button type="submit" class="quiet">
                {texts.update}
              </button>
            </>
          )}
          <button type="submit" name="remove" value="yes" class="quiet" formNoValidate>
            {texts.remove}
          </button>
        </form>
      </div>
      <p class="sum">{bought && money(unitPrice * quantity, language)}</p>
    </li>
  );
}
