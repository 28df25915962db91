import type { OrderRecord } from '../../orders/records.js';
import { money } from '../../platform/html/money.js';
import { lineName } from '../cart.js';
import { partOf } from '../installments.js';
import { Picture } from './product-cards.js';
import type { Visit } from './shell.js';

const TEXTS = {
  en: {
    items: 'Items',
    subtotal: 'Subtotal',
    freight: 'Delivery',
    total: 'Total',
    refunded: 'Refunded',
    payment: 'Payment',
    methods: { pix: 'Pix', card: 'Credit card', boleto: 'Boleto' } as Record<string, string>,
    parts: (count: number, part: string) => `${count}× ${part}, without interest`,
  },
  pt: {
    items: 'Itens',
    subtotal: 'Subtotal',
    freight: 'Frete',
    total: 'Total',
    refunded: 'Reembolsado',
    payment: 'Pagamento',
    methods: { pix: 'Pix', card: 'Cartão de crédito', boleto: 'Boleto' } as Record<string, string>,
    parts: (count: number, part: string) => `${count}× de ${part}, sem juros`,
  },
};

/** The items of an order, its totals and its payment method. */
export function OrderItems(props: { visit: Visit; order: OrderRecord; covers: Map<string, string> }) {
  const { visit, order, covers } = props;
  const { language } = visit;
  const texts = TEXTS[language];
  const { method, installments } = order.payment;
  const row = (label: string, amount: number, kind?: string) => (
    <div class={kind}>
      <dt>{label}</dt>
      <dd>{money(amount, language)}</dd>
    </div>
  );
  return (
    <section>
      <h2>{texts.items}</h2>
      <ul class="bought">
        {order.items.map((item) => (
          <li key={`${item.productId} ${item.variantId}`}>
            <Picture
              url={covers.get(lineName(item))}
              name={item.name}
              sizes="4rem"
              resizedFrom={visit.resizedFrom}
            />
            <span>
              {item.quantity} × {item.name}
              {item.combination && <small class="hint">{item.combination}</small>}
            </span>
            <span>{money(item.total, language)}</span>
          </li>
        ))}
      </ul>
      <dl class="totals">
        {row(texts.subtotal, order.subtotal)}
        {row(texts.freight, order.shippingCost)}
        {row(texts.total, order.total, 'total')}
        {order.refundedAmount > 0 && row(texts.refunded, order.refundedAmount)}
      </dl>
      <p class="hint">
        {texts.payment}: {texts.methods[method] ?? method}
        {installments > 1 &&
          `, ${texts.parts(installments, money(partOf(order.total, installments), language))}`}
      </p>
    </section>
  );
}
