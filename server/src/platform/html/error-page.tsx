import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiError } from '../http/errors.js';
import { type Language, languageOf } from './language.js';
import { Page, sendPage } from './page.js';

const TEXTS = {
  en: {
    failed: 'Something went wrong',
    ours: 'An internal error occurred. Try again in a few minutes.',
    refused: 'This form has expired or came from another site. Go back, reload the page and try again.',
    missing: 'Page not found',
    missingText: 'No page exists at this address. The page you want may have been moved or removed.',
    home: 'Go to the start page',
    docs: 'Documentation',
    reference: 'Reference',
  },
  pt: {
    failed: 'Algo deu errado',
    ours: 'Ocorreu um erro interno. Tente novamente em alguns minutos.',
    refused: 'Este formulário expirou ou veio de outro site. Volte, atualize a página e tente novamente.',
    missing: 'Página não encontrada',
    missingText: 'Não há página neste endereço. A página que você procura pode ter sido movida ou removida.',
    home: 'Ir para a página inicial',
    docs: 'Documentação',
    reference: 'Referência',
  },
};

/** Returns whether to answer with an HTML page. Browsers ask for text/html; API clients usually do not. */
export function wantsPage({ method, url, headers }: FastifyRequest): boolean {
  return (
    (method === 'GET' || method === 'HEAD') &&
    !url.startsWith('/api/') &&
    headers.accept?.includes('text/html') === true
  );
}

export function sendNotFoundPage(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const language = languageOf(request.headers['accept-language']);
  const texts = TEXTS[language];
  return sendPage(
    reply,
    <Page language={language} title={texts.missing}>
      <h1>{texts.missing}</h1>
      <p>{texts.missingText}</p>
      <p class="actions">
        <a class="button" href="/">
          {texts.home}
        </a>
        <a href="/docs">{texts.docs}</a>
      </p>
    </Page>,
    404,
  );
}

/** The title and text that a page shows for an error. The message of a 5xx error is replaced by a general text. */
export function describeError(error: ApiError, language: Language): { title: string; text: string } {
  const texts = TEXTS[language];
  const text = error.code === 'form_refused' ? texts.refused : error.message;
  return { title: texts.failed, text: error.status >= 500 ? texts.ours : text };
}

export function sendErrorPage(error: ApiError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const language = languageOf(request.headers['accept-language']);
  const texts = TEXTS[language];
  const { title, text } = describeError(error, language);
  if (error.more.headers) reply.headers(error.more.headers);
  return sendPage(
    reply,
    <Page language={language} title={title}>
      <h1>{title}</h1>
      <p>{text}</p>
      <p class="hint">
        {texts.reference}: {request.id}
      </p>
      <p>
        <a href="/">{texts.home}</a>
      </p>
    </Page>,
    error.status,
  );
}
