import type { FastifyReply } from 'fastify';
import type { ComponentChildren, JSX, VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { assetUrl } from './assets.js';
import type { Language } from './language.js';

/**
 * The layout of most pages of Feira. Shops, the documentation and the landing page have their own. The renderer escapes
 * all values.
 */
export function Page(props: {
  language: Language;
  title: string;
  who?: SignedInUser | undefined;
  wide?: boolean;
  children: ComponentChildren;
}) {
  const { language, title, who, wide, children } = props;
  return (
    <html lang={language === 'pt' ? 'pt-BR' : 'en'}>
      <PageHead title={`${title} · Feira`} />
      <body>
        <header class="bar">
          <Brand />
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

/** The icon and the name, as a link to the landing page. */
export function Brand() {
  return (
    <a class="brand" href="/">
      <img src="/favicon.ico" alt="" width="24" height="24" />
      Feira
    </a>
  );
}

/** The style sheets of all pages that use PageHead. */
const SHARED_STYLES = ['tokens.css', 'forms.css', 'feira.css'];

/**
 * The head of pages that do not use ShopFrame. With a description it contains tags for search engines and link
 * previews.
 */
export function PageHead(props: {
  title: string;
  description?: string;
  /** The absolute URL of the page. */
  url?: string;
  image?: string;
  /** The style sheets of this page besides the shared ones. */
  styles?: string[];
  script?: string;
  children?: ComponentChildren;
}) {
  const { title, description, url, image, styles = [], script, children } = props;
  return (
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>{title}</title>
      {description && <meta name="description" content={description} />}
      {url && <link rel="canonical" href={url} />}
      {url && <meta property="og:url" content={url} />}
      {description && <meta property="og:title" content={title} />}
      {description && <meta property="og:description" content={description} />}
      {description && <meta property="og:type" content="website" />}
      {image && <meta property="og:image" content={image} />}
      {image && <meta name="twitter:card" content="summary_large_image" />}
      <link rel="icon" href="/favicon.ico" type="image/svg+xml" />
      {[...SHARED_STYLES, ...styles].map((style) => (
        <link key={style} rel="stylesheet" href={assetUrl(style)} />
      ))}
      {script && <script src={assetUrl(script)} defer />}
      {children}
    </head>
  );
}

/** The signed-in user, and the CSRF token for the sign-out form. */
export interface SignedInUser {
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
  return reply.code(status).type('text/html; charset=utf-8').send(renderPage(page));
}

export function renderPage(page: VNode): string {
  return `<!doctype html>${renderToString(page)}`;
}
