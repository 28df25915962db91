import type { Language } from '../../../platform/html/language.js';
import { money } from '../../../platform/html/money.js';
import { Page } from '../../../platform/html/page.js';
import { formatTime } from '../../../platform/html/time.js';
import { ShopFrame } from '../../../stores/pages/shop-frame.js';
import type { Shop } from '../../../stores/queries.js';
import { boletoLine } from '../boleto-line.js';
import type { SandboxPayment } from '../payment.js';
import { pixCode } from '../pix-code.js';

const TEXTS = {
  en: {
    title: 'Payment',
    to: 'Pay to',
    sandbox: 'Test mode: no real payment is made.',
    pay: 'Pay',
    decline: 'Decline',
    back: 'Back to the order',
    declined: 'The payment was declined. You can try again.',
    final: { paid: 'This payment is complete.', canceled: 'This payment was canceled.' },
    scan: 'Scan the code with your bank’s app, or copy its text:',
    qr: 'Pix QR code',
    copy: 'Copy code',
    copied: 'Copied',
    card: {
      number: 'Card number',
      name: 'Name on the card',
      until: 'Valid until',
      code: 'Security code',
      note: 'You do not need to change these fields: no card data is sent.',
    },
    due: 'Due on',
    barcode: 'Barcode of the boleto',
    boleto: 'Enter this code in your bank’s app to pay, or scan the barcode:',
    none: 'Payment not found',
    noneMore: 'The link may be incomplete. Go back to the shop and open the payment from your order.',
  },
  pt: {
    title: 'Pagamento',
    to: 'Pagar para',
    sandbox: 'Modo de teste: nenhum pagamento real é feito.',
    pay: 'Pagar',
    decline: 'Recusar',
    back: 'Voltar ao pedido',
    declined: 'O pagamento foi recusado. Você pode tentar novamente.',
    final: { paid: 'Pagamento concluído.', canceled: 'Pagamento cancelado.' },
    scan: 'Escaneie o QR code com o aplicativo do seu banco ou copie o código:',
    qr: 'QR code do Pix',
    copy: 'Copiar código',
    copied: 'Copiado',
    card: {
      number: 'Número do cartão',
      name: 'Nome no cartão',
      until: 'Validade',
      code: 'Código de segurança',
      note: 'Não é preciso alterar estes campos: nenhum dado do cartão é enviado.',
    },
    due: 'Vencimento:',
    barcode: 'Código de barras do boleto',
    boleto: 'Use esta linha digitável no aplicativo do seu banco ou leia o código de barras:',
    none: 'Pagamento não encontrado',
    noneMore: 'O link pode estar incompleto. Volte à loja e abra o pagamento a partir do seu pedido.',
  },
};

export function PaymentPage(props: {
  shop: Shop;
  language: Language;
  /** The path and query of the page. */
  address: string;
  payment: SandboxPayment;
  pageKey: string;
  open: boolean;
}) {
  const { shop, language, address, payment, pageKey, open } = props;
  const texts = TEXTS[language];
  const { id, storeName, amount, status, installments } = payment;
  return (
    <ShopFrame {...{ shop, language, address }} title={texts.title} notice={texts.sandbox}>
      <div class="payment">
        <h1>{texts.title}</h1>
        <p class="hint">
          {texts.to} {storeName}
        </p>
        <p class="amount">
          <strong>{money(amount, language)}</strong>
          {installments > 1 && <span class="hint"> {installmentsText(amount, installments, language)}</span>}
        </p>
        {status === 'declined' && (
          <p class="alert" role="status">
            {texts.declined}
          </p>
        )}
        {open && <Means language={language} payment={payment} pageKey={pageKey} />}
        {open ? (
          <form method="post" action={`/sandbox/pay/${id}`}>
            <input type="hidden" name="key" value={pageKey} />
            <p class="actions">
              <button type="submit" name="decision" value="paid">
                {texts.pay}
              </button>
              <button type="submit" name="decision" value="declined" class="quiet">
                {texts.decline}
              </button>
            </p>
          </form>
        ) : (
          <p role="status">{texts.final[status === 'paid' ? 'paid' : 'canceled']}</p>
        )}
        <p>
          <a href={payment.returnUrl}>{texts.back}</a>
        </p>
      </div>
    </ShopFrame>
  );
}

/** Describes the installments. They add up to the total, because the first one includes the remaining cents. */
function installmentsText(amount: number, count: number, language: Language): string {
  const cents = Math.round(amount * 100);
  const each = Math.floor(cents / count);
  const first = cents - each * (count - 1);
  const part = (times: number, value: number) => `${times} × ${money(value / 100, language)}`;
  return first === each ? part(count, each) : `${part(1, first)} + ${part(count - 1, each)}`;
}

function dayText(day: string, language: Language): string {
  return formatTime(day, language, { dateStyle: 'long', timeZone: 'UTC' });
}

function Means(props: { language: Language; payment: SandboxPayment; pageKey: string }) {
  const { language, payment, pageKey } = props;
  const texts = TEXTS[language];
  if (payment.method === 'pix')
    return (
      <>
        <p>{texts.scan}</p>
        <p class="qr">
          <img
            src={`/sandbox/pay/${payment.id}/qr.svg?key=${pageKey}`}
            alt={texts.qr}
            width="220"
            height="220"
          />
        </p>
        <code class="to-copy" data-copy={texts.copy} data-copied={texts.copied}>
          {pixCode(payment)}
        </code>
      </>
    );
  if (payment.method === 'boleto')
    return (
      <>
        {payment.dueOn && (
          <p>
            {texts.due} <strong>{dayText(payment.dueOn, language)}</strong>
          </p>
        )}
        <p>{texts.boleto}</p>
        <code class="to-copy groups" data-copy={texts.copy} data-copied={texts.copied}>
          {boletoLine(payment)}
        </code>
        <p class="barcode">
          <img
            src={`/sandbox/pay/${payment.id}/barcode.svg?key=${pageKey}`}
            alt={texts.barcode}
            width="425"
            height="60"
          />
        </p>
      </>
    );
  return <Card texts={texts.card} />;
}

/**
 * Looks like a real card form, but its fields are outside of the <form> element and have no names, so a card number
 * entered here is never sent.
 */
function Card({ texts }: { texts: (typeof TEXTS)['en']['card'] }) {
  const field = (id: string, label: string, value: string, kind = '') => (
    <p class={`field ${kind}`}>
      <label for={id}>{label}</label>
      <input id={id} value={value} autocomplete="off" />
    </p>
  );
  return (
    <div class="card">
      {field('card-number', texts.number, '4000 0000 0000 0002')}
      {field('card-name', texts.name, 'MARIA DA SILVA')}
      {field('card-until', texts.until, '12/40', 'short')}
      {field('card-code', texts.code, '123', 'short')}
      <p class="hint">{texts.note}</p>
    </div>
  );
}

export function NoPaymentPage({ language }: { language: Language }) {
  const texts = TEXTS[language];
  return (
    <Page language={language} title={texts.none}>
      <h1>{texts.none}</h1>
      <p>{texts.noneMore}</p>
    </Page>
  );
}
