import type {} from '@fastify/swagger';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { renderSVG } from 'uqr';
import type { Database } from '../../platform/db/database.js';
import { buyerLanguageOf, storeLanguage, withoutLanguage } from '../../platform/html/buyer-language.js';
import { contentPolicy, FILE_POLICY } from '../../platform/html/content-policy.js';
import { sendPage } from '../../platform/html/page.js';
import { ApiError, badRequest } from '../../platform/http/errors.js';
import { formFields, queryFields } from '../../platform/http/forms.js';
import { shopOfStore } from '../../stores/queries.js';
import { boletoBarcode } from './boleto-line.js';
import type { SandboxGateway } from './gateway.js';
import { interleaved2of5 } from './interleaved-2-of-5.js';
import { NoPaymentPage, PaymentPage } from './pages/payment.js';
import type { SandboxPayment } from './payment.js';
import { pixCode } from './pix-code.js';

export interface SandboxOptions {
  db: Database;
  gateway: SandboxGateway;
  wake: { poke(): void };
  publicUrl: string;
}

type PaymentRequest = FastifyRequest<{ Params: { id: string } }>;

/** The payment page that a real gateway would host. Anyone who has its URL, which contains a key, may pay. */
export const paymentRoutes: FastifyPluginAsync<SandboxOptions> = async (app, options) => {
  const { gateway, wake, publicUrl } = options;
  const hidden = { schema: { hide: true } };
  // Scripts are allowed because of the button that copies the code of a Pix or boleto payment.
  const policy = contentPolicy({ formsLeadTo: [publicUrl], scripts: true });
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('Content-Security-Policy', policy);
  });

  app.get<{ Params: { id: string } }>('/sandbox/pay/:id', hidden, async (request, reply) => {
    if (storeLanguage(request, reply, publicUrl.startsWith('https:'))) return reply;
    const payment = await gateway.findByKey(request.params.id, queryFields(request).text('key'));
    return payment ? show(options, request, reply, payment) : missing(request, reply);
  });

  app.post<{ Params: { id: string } }>('/sandbox/pay/:id', hidden, async (request, reply) => {
    const fields = formFields(request);
    const payment = await gateway.findByKey(request.params.id, fields?.text('key') ?? '');
    if (!payment) return missing(request, reply);
    const decision = fields?.get('decision');
    if (decision !== 'paid' && decision !== 'declined')
      throw badRequest('The field decision must be paid or declined');
    // Paid and canceled are final. Pressing a button again only leads back to the shop.
    const isDecided = isOpen(payment) && (await decideUnlessFinal(gateway, payment, decision));
    wake.poke();
    // With payment=declined in the URL, the shop shows that the payment was declined and offers other methods.
    const isDeclined = decision === 'declined' && isDecided;
    return reply.redirect(isDeclined ? `${payment.returnUrl}&payment=declined` : payment.returnUrl, 303);
  });

  app.get<{ Params: { id: string } }>('/sandbox/pay/:id/qr.svg', hidden, async (request, reply) => {
    const payment = await gateway.findByKey(request.params.id, queryFields(request).text('key'));
    if (payment?.method !== 'pix') return missing(request, reply);
    return reply
      .type('image/svg+xml')
      .header('Content-Security-Policy', FILE_POLICY)
      .send(renderSVG(pixCode(payment), { border: 2 }));
  });

  app.get<{ Params: { id: string } }>('/sandbox/pay/:id/barcode.svg', hidden, async (request, reply) => {
    const payment = await gateway.findByKey(request.params.id, queryFields(request).text('key'));
    if (payment?.method !== 'boleto') return missing(request, reply);
    return reply
      .type('image/svg+xml')
      .header('Content-Security-Policy', FILE_POLICY)
      .send(interleaved2of5(boletoBarcode(payment)));
  });
};

async function show(
  { db, gateway }: SandboxOptions,
  request: PaymentRequest,
  reply: FastifyReply,
  payment: SandboxPayment,
): Promise<FastifyReply> {
  const shop = await shopOfStore(db.system('shops'), payment.workspaceId);
  if (!shop) return missing(request, reply);
  return sendPage(
    reply,
    <PaymentPage
      shop={shop}
      language={buyerLanguageOf(request)}
      address={withoutLanguage(request.url)}
      payment={payment}
      pageKey={gateway.links.keyOf(payment.id)}
      open={isOpen(payment)}
    />,
  );
}

/** Returns false if the payment has become final since it was read, with a status that differs from the decision. */
async function decideUnlessFinal(
  gateway: SandboxGateway,
  payment: SandboxPayment,
  decision: 'paid' | 'declined',
): Promise<boolean> {
  try {
    await gateway.decideOn(payment, decision);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'payment_final') return false;
    throw error;
  }
}

function missing(request: PaymentRequest, reply: FastifyReply): FastifyReply {
  return sendPage(reply, <NoPaymentPage language={buyerLanguageOf(request)} />, 404);
}

function isOpen({ status }: SandboxPayment): boolean {
  return status === 'open' || status === 'declined';
}
