import type { FastifyReply } from 'fastify';
import type { ComponentChildren, JSX, VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { Language } from './language.js';

/** The layout of every page. The renderer escapes all values; HTML is never inserted. */
export function Page(props: {
  language: Language;
  title: string;
  who?: Who | undefined;
  wide?: boolean;
  children: ComponentChildren;
}) {
  const { language, title, who, wide, children } = props;
  return (
    <html lang={language === 'pt' ? 'pt-BR' : 'en'}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${title} · Feira`}</title>
        <link rel="icon" href="/favicon.ico" type="image/svg+xml" />
        <link rel="stylesheet" href="/assets/feira.css" />
      </head>
      <body>
        <header class="bar">
          <span class="brand">
            <img src="/favicon.ico" alt="" width="24" height="24" />
            Feira
          </span>
          {who && (
            <form method="post" action="/sign-out" class="who">
              <input type="hidden" name="csrf" value={who.csrf} />
              <span>{who.email}</span>
              <button class="quiet" type="submit">
                {language === 'pt' ? 'Sair' : 'Sign out'}
              </button>
            </form>
          )}
        </header>
        <main class={wide ? 'wide' : undefined}>{children}</main>
      </body>
    </html>
  );
}

/** The signed-in user, and the token for the sign-out form. */
export interface Who {
  email: string;
  csrf: string;
}

/** An error message that screen readers announce immediately. */
export function Alert({ children }: { children: ComponentChildren }) {
  return (
    <p class="alert" role="alert">
      {children}
    </p>
  );
}

export function Field(props: {
  name: string;
  label: string;
  type?: 'text' | 'email' | 'password';
  value?: string | undefined;
  autocomplete?: string;
  hint?: string;
  required?: boolean;
  minLength?: number;
}) {
  const { name, label, type = 'text', hint, required = true, ...rest } = props;
  const attributes = { id: name, name, type, required, 'aria-describedby': hint && `${name}-hint`, ...rest };
  return (
    <p class="field">
      <label for={name}>{label}</label>
      <input {...(attributes as JSX.IntrinsicElements['input'])} />
      {hint && (
        <small id={`${name}-hint`} class="hint">
          {hint}
        </small>
      )}
    </p>
  );
}

export function sendPage(reply: FastifyReply, page: VNode, status = 200): FastifyReply {
  return reply
    .code(status)
    .type('text/html; charset=utf-8')
    .send(`<!doctype html>${renderToString(page)}`);
}
