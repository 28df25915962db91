import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isTemporary } from '../db/unavailable.js';
import { ApiError, busy } from '../http/errors.js';
import { FORM_BYTES } from '../http/forms.js';
import { keepRawBodies } from '../http/json-body.js';
import { contentPolicy } from './content-policy.js';
import { languageOf } from './language.js';
import { Page, sendPage } from './page.js';

/** The common behavior of all HTML pages: headers, raw form bodies, and error pages. */
export function servePages(app: FastifyInstance, publicUrl: string): void {
  const policy = contentPolicy({ formsLeadTo: [publicUrl] });
  keepRawBodies(app, FORM_BYTES);
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers({
      'Content-Security-Policy': policy,
      'Cache-Control': 'no-store',
      'X-Frame-Options': 'DENY',
      'Referrer-Policy': 'no-referrer',
    });
    done();
  });
  app.setErrorHandler((error: FastifyError, request, reply) => sendErrorPage(error, request, reply));
}

const SORRY = {
  en: {
    title: 'Something went wrong',
    ours: 'An internal error occurred. Try again in a few minutes.',
    unreadable: 'The request could not be read. Go back, reload the page and try again.',
    reference: 'Reference',
  },
  pt: {
    title: 'Algo deu errado',
    ours: 'Ocorreu um erro interno. Tente novamente em alguns minutos.',
    unreadable: 'Não foi possível processar a solicitação. Volte, atualize a página e tente novamente.',
    reference: 'Referência',
  },
};

function sendErrorPage(thrown: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const language = languageOf(request.headers['accept-language']);
  const texts = SORRY[language];
  const error = isTemporary(thrown) ? busy(thrown) : thrown;
  const status = error instanceof ApiError ? error.status : (error.statusCode ?? 500);
  if (status >= 500) request.log.error({ requestId: request.id, err: thrown }, 'page failed');
  const refusal = error instanceof ApiError ? error.message : texts.unreadable;
  if (error instanceof ApiError && error.more.headers) reply.headers(error.more.headers);
  return sendPage(
    reply,
    <Page language={language} title={texts.title}>
      <h1>{texts.title}</h1>
      <p>{status >= 500 ? texts.ours : refusal}</p>
      <p class="hint">
        {texts.reference}: {request.id}
      </p>
    </Page>,
    status,
  );
}
