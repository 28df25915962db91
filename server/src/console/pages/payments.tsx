import type { ComponentChildren } from 'preact';
import type { Attention } from '../../payments/apply-notification.js';
import type { PaymentToCheck } from '../../payments/to-check.js';
import type { Language } from '../../platform/html/language.js';
import { money } from '../../platform/html/money.js';
import { Page, type SignedInUser } from '../../platform/html/page.js';
import { shortTime } from '../../platform/html/time.js';

interface Texts {
  title: string;
  lead: string;
  none: string;
  order: (number: number) => string;
  noOrder: string;
  amount: string;
  refunded: string;
  total: string;
  payment: string;
  checked: string;
  apps: string;
  reasons: Record<Attention, string>;
}

const TEXTS: Record<Language, Texts> = {
  en: {
    title: 'Payments to check',
    lead: 'The payment provider reported these payments, but they do not match your orders. Compare each one with your account at the provider.',
    none: 'There is nothing to check.',
    order: (number) => `Order ${number}`,
    noOrder: 'Unknown order',
    amount: 'Amount',
    refunded: 'Refunded',
    total: 'Order total',
    payment: 'Payment',
    checked: 'Mark as checked',
    apps: 'Connected apps',
    reasons: {
      unknown_order:
        'The provider reported a payment, a cancellation or a refund for an order that does not exist. If the payment was received and is not refunded yet, refund it at the provider.',
      amount_differs:
        'The amount is not the total of the order. If it is lower, the order stays unpaid: refund the amount at the provider. If it is higher, the order is paid: refund the difference.',
      second_payment: 'The order was paid twice. Refund this payment at the provider.',
      paid_after_cancel:
        'The payment arrived after the order was canceled. The amount is being refunded, and the order stays canceled.',
      canceled_after_payment:
        'The provider canceled the payment of an order that had already been paid. The order was not changed. If you have not shipped it yet, first ask the provider whether you have received the money.',
      refund_of_other_payment:
        'The provider refunded a payment that is not the one recorded for this order. The order was not changed.',
    },
  },
  pt: {
    title: 'Pagamentos a conferir',
    lead: 'O provedor de pagamentos informou estes pagamentos, mas eles não correspondem aos pedidos. Confira cada um na sua conta no provedor.',
    none: 'Não há nada a conferir.',
    order: (number) => `Pedido ${number}`,
    noOrder: 'Pedido desconhecido',
    amount: 'Valor',
    refunded: 'Reembolsado',
    total: 'Total do pedido',
    payment: 'Pagamento',
    checked: 'Marcar como conferido',
    apps: 'Aplicativos conectados',
    reasons: {
      unknown_order:
        'O provedor informou um pagamento, um cancelamento ou um reembolso de um pedido que não existe. Se o pagamento foi recebido e ainda não foi reembolsado, reembolse-o no provedor.',
      amount_differs:
        'O valor é diferente do total do pedido. Se for menor, o pedido continua sem pagamento: reembolse o valor no provedor. Se for maior, o pedido está pago: reembolse a diferença.',
      second_payment: 'O pedido foi pago duas vezes. Reembolse este pagamento no provedor.',
      paid_after_cancel:
        'O pagamento chegou depois do cancelamento do pedido. O valor está sendo reembolsado, e o pedido continua cancelado.',
      canceled_after_payment:
        'O provedor cancelou o pagamento de um pedido que já tinha sido pago. O pedido não foi alterado. Se ainda não o enviou, confirme antes com o provedor se você recebeu o dinheiro.',
      refund_of_other_payment:
        'O provedor reembolsou um pagamento que não é o registrado neste pedido. O pedido não foi alterado.',
    },
  },
};

export function PaymentsPage(props: {
  language: Language;
  who: SignedInUser;
  stores: { workspaceId: string; name: string; payments: PaymentToCheck[] }[];
  csrf: (workspaceId: string, id: string) => string;
}) {
  const { language, who, stores, csrf } = props;
  const texts = TEXTS[language];
  const waiting = stores.filter(({ payments }) => payments.length > 0);
  return (
    <Page language={language} title={texts.title} who={who} wide>
      <h1>{texts.title}</h1>
      <p>{waiting.length > 0 ? texts.lead : texts.none}</p>
      {waiting.map(({ workspaceId, name, payments }) => (
        <section key={workspaceId}>
          <h2>{name}</h2>
          {payments.map((payment) => (
            <PaymentCard key={payment.id} language={language} payment={payment}>
              <form method="post" action="/console/payments/checked" class="actions">
                <input type="hidden" name="csrf" value={csrf(workspaceId, payment.id)} />
                <input type="hidden" name="store" value={workspaceId} />
                <input type="hidden" name="payment" value={payment.id} />
                <button type="submit">{texts.checked}</button>
              </form>
            </PaymentCard>
          ))}
        </section>
      ))}
      <p>
        <a href="/console/apps">{texts.apps}</a>
      </p>
    </Page>
  );
}

function PaymentCard(props: { language: Language; payment: PaymentToCheck; children: ComponentChildren }) {
  const { language, payment, children } = props;
  const texts = TEXTS[language];
  const { orderNumber, orderTotal, attention, amount, refundedInAll, transactionId, receivedAt } = payment;
  return (
    <article class="card">
      <h3>{orderNumber === null ? texts.noOrder : texts.order(orderNumber)}</h3>
      <p class="hint">
        {shortTime(receivedAt, language)} · {texts.payment}: <code>{transactionId}</code>
      </p>
      <p>
        {texts.amount}: {money(amount, language)}
        {refundedInAll > 0 && ` · ${texts.refunded}: ${money(refundedInAll, language)}`}
        {orderTotal !== null && ` · ${texts.total}: ${money(orderTotal, language)}`}
      </p>
      <p>{texts.reasons[attention]}</p>
      {children}
    </article>
  );
}
