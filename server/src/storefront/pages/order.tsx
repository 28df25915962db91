import type { OrderRecord, OrderStatus } from '../../orders/records.js';
import type { ShippingStatus } from '../../orders/shipping-status.js';
import type { Language } from '../../platform/html/language.js';
import { formatTime } from '../../platform/html/time.js';
import type { Tracking } from '../../shipping/shipments.js';
import { Invoices } from './order-invoices.js';
import { OrderItems } from './order-items.js';
import { PayForms } from './pay-forms.js';
import { ShopPage, type Visit } from './shell.js';

const TEXTS = {
  en: {
    title: (number: number) => `Order ${number}`,
    thanks: 'Thank you! Your payment was received.',
    keep: 'Save the link to this page to see your order later.',
    waiting: (until: string) => `Your items are reserved until ${until}. We ship them after payment.`,
    declined: 'The payment was declined and nothing was charged. Try again, or choose another method.',
    status: {
      pending: 'Waiting for payment',
      paid: 'Paid',
      partial_refunded: 'Partly refunded',
      refunded: 'Refunded',
      canceled: 'Canceled',
    } satisfies Record<OrderStatus, string>,
    shipping: {
      pending: 'Not shipped yet',
      preparing: 'Being prepared',
      sent: 'Sent',
      in_transit: 'On the way',
      delivered: 'Delivered',
      returned: 'Returned to the shop',
      canceled: 'Canceled',
    } satisfies Record<ShippingStatus, string>,
    parcel: 'Delivery',
    code: 'Tracking code',
    expected: 'Expected by',
    services: { economy: 'Economy', express: 'Express' },
    follow: "Track on the carrier's site",
    to: 'Deliver to',
    placed: 'Placed',
    contact: 'Questions about this order? Write to',
  },
  pt: {
    title: (number: number) => `Pedido ${number}`,
    thanks: 'Obrigado! Seu pagamento foi recebido.',
    keep: 'Salve o link desta página para acompanhar seu pedido.',
    waiting: (until: string) => `Seus itens ficam reservados até ${until}. O envio é feito após o pagamento.`,
    declined:
      'O pagamento foi recusado e nada foi cobrado. Tente novamente ou escolha outra forma de pagamento.',
    status: {
      pending: 'Aguardando pagamento',
      paid: 'Pago',
      partial_refunded: 'Reembolsado parcialmente',
      refunded: 'Reembolsado',
      canceled: 'Cancelado',
    } satisfies Record<OrderStatus, string>,
    shipping: {
      pending: 'Ainda não enviado',
      preparing: 'Em preparação',
      sent: 'Enviado',
      in_transit: 'A caminho',
      delivered: 'Entregue',
      returned: 'Devolvido à loja',
      canceled: 'Cancelado',
    } satisfies Record<ShippingStatus, string>,
    parcel: 'Entrega',
    code: 'Código de rastreamento',
    expected: 'Previsão de entrega:',
    services: { economy: 'Econômica', express: 'Expressa' },
    follow: 'Rastrear no site da transportadora',
    to: 'Entregar para',
    placed: 'Feito em',
    contact: 'Dúvidas sobre este pedido? Escreva para',
  },
};

interface Props {
  visit: Visit;
  order: OrderRecord;
  tracking: Tracking | undefined;
  /** The pictures of the items whose products still exist, keyed by lineName(). */
  covers: Map<string, string>;
  orderKey: string;
  /** Whether the server has a payment gateway. */
  canPay: boolean;
  /** Whether the buyer has just returned from a payment that was declined. */
  isDeclined: boolean;
}

export function OrderPage({ visit, order, tracking, covers, orderKey, canPay, isDeclined }: Props) {
  const { shop, language } = visit;
  const texts = TEXTS[language];
  const subject = texts.title(order.number);
  return (
    <ShopPage visit={visit} title={subject}>
      <div class="order">
        <h1>{subject}</h1>
        <p>
          <span class={`badge ${order.status}`}>{texts.status[order.status]}</span>
        </p>
        {order.expiresAt !== null && canPay && (
          <div class="call">
            {isDeclined && (
              <p class="alert" role="alert">
                {texts.declined}
              </p>
            )}
            <p>{texts.waiting(timeIn(shop.timezone, language, order.expiresAt))}</p>
            <PayForms visit={visit} order={order} orderKey={orderKey} isOpen={isDeclined} />
          </div>
        )}
        {order.status === 'paid' && <p class="notice">{texts.thanks}</p>}
        <p class="hint">
          {texts.placed} {timeIn(shop.timezone, language, order.createdAt)}. {texts.keep}
        </p>
        <Parcel visit={visit} order={order} tracking={tracking} />
        <OrderItems visit={visit} order={order} covers={covers} />
        {order.invoices.length > 0 && <Invoices invoices={order.invoices} language={language} />}
        <p class="hint">
          {texts.contact}{' '}
          <a href={`mailto:${shop.email}?subject=${encodeURIComponent(subject)}`}>{shop.email}</a>
        </p>
      </div>
    </ShopPage>
  );
}

/** The shipping statuses of an order that has not arrived yet. */
const UNDER_WAY = ['pending', 'preparing', 'sent', 'in_transit'];

function Parcel({ visit: { shop, language }, order, tracking }: Pick<Props, 'visit' | 'order' | 'tracking'>) {
  const texts = TEXTS[language];
  const { street, number, complement, district, city, state, zipCode } = order.shippingAddress;
  const status = (name: string) => texts.shipping[name as ShippingStatus] ?? name;
  return (
    <section>
      <h2>{texts.parcel}</h2>
      <p>
        <strong>{status(order.statusShipping)}</strong>
        {order.shippingService && ` · ${texts.services[order.shippingService]}`}
      </p>
      {order.codeShipping && (
        <p>
          {texts.code}: <code>{order.codeShipping}</code> {order.carrier && `(${order.carrier})`}
        </p>
      )}
      {order.estimatedDelivery && UNDER_WAY.includes(order.statusShipping) && (
        <p>
          {texts.expected} {dayIn(language, order.estimatedDelivery)}
        </p>
      )}
      {order.trackingUrl && /^https?:\/\//i.test(order.trackingUrl) && (
        <p>
          <a href={order.trackingUrl} rel="noreferrer">
            {texts.follow}
          </a>
        </p>
      )}
      {tracking && tracking.events.length > 0 && (
        <ol class="way">
          {tracking.events.map((event) => (
            <li key={event.occurredAt}>
              <strong>{status(event.status)}</strong>
              <span class="hint">
                {timeIn(shop.timezone, language, event.occurredAt)}
                {event.location && ` · ${event.location}`}
              </span>
            </li>
          ))}
        </ol>
      )}
      <p class="hint">
        {texts.to} {order.customer.name}, {street}, {number}
        {complement && `, ${complement}`}, {district}, {city}/{state},{' '}
        <span class="postal-code">{zipCode.replace(/(\d{5})(\d{3})/, '$1-$2')}</span>
      </p>
    </section>
  );
}

function timeIn(timeZone: string, language: Language, time: string): string {
  return formatTime(time, language, { dateStyle: 'medium', timeStyle: 'short', timeZone });
}

function dayIn(language: Language, day: string): string {
  return formatTime(day, language, { dateStyle: 'medium', timeZone: 'UTC' });
}
