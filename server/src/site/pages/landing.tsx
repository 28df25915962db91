import type { Language } from '../../platform/html/language.js';
import { Brand, PageHead } from '../../platform/html/page.js';
import { LANDING_TEXTS } from './landing-texts.js';

/** The start page, for integrators, merchants, and visitors who want to try a demo shop. */
export function LandingPage(props: { language: Language; publicUrl: string; demoSlug: string | undefined }) {
  const { language, publicUrl, demoSlug } = props;
  const texts = LANDING_TEXTS[language];
  const other = language === 'pt' ? 'en' : 'pt';
  return (
    <html lang={language === 'pt' ? 'pt-BR' : 'en'}>
      <PageHead
        title={`Feira · ${texts.title}`}
        description={texts.lead}
        url={`${publicUrl}/`}
        image={`${publicUrl}/assets/share.png`}
        styles={['site.css']}
      />
      <body>
        <a class="skip" href="#content">
          {texts.skip}
        </a>
        <header class="bar">
          <Brand />
          <nav class="end" aria-label={texts.menu}>
            <a href="/docs">{texts.docs}</a>
            <a href="/partners">{texts.partners}</a>
            <a href="/sign-in">{texts.signIn}</a>
            <a href={`/?lang=${other}`} lang={other === 'pt' ? 'pt-BR' : 'en'} hreflang={other}>
              {texts.otherLanguage}
            </a>
          </nav>
        </header>
        <main id="content" class="landing">
          <section class="hero">
            <div>
              <h1>{texts.title}</h1>
              <p class="lead">{texts.lead}</p>
              <p class="actions">
                <a class="button" href="/docs/guides/quickstart">
                  {texts.quickstart}
                </a>
                <a class="button second" href="/docs">
                  {texts.docs}
                </a>
              </p>
            </div>
            <Sample caption={texts.sample} />
          </section>
          <section class="visitors" aria-label={texts.visitors}>
            <article>
              <h2>{texts.integrator.title}</h2>
              <p>{texts.integrator.text}</p>
              <ul>
                <li>
                  <a href="/docs/guides/quickstart">{texts.firstGuide}</a>
                </li>
                <li>
                  <a href="/docs/reference">{texts.reference}</a>
                </li>
                <li>
                  <a href="/partners">{texts.register}</a>
                </li>
              </ul>
            </article>
            <article>
              <h2>{texts.merchant.title}</h2>
              <p>{texts.merchant.text}</p>
              <ul>
                <li>
                  <a href="/sign-in">{texts.signIn}</a>
                </li>
                <li>
                  <a href="/console/apps">{texts.console}</a>
                </li>
              </ul>
            </article>
            {demoSlug !== undefined && (
              <article>
                <h2>{texts.curious.title}</h2>
                <p>{texts.curious.text}</p>
                <ul>
                  <li>
                    <a href={`/s/${demoSlug}`}>{texts.shop}</a>
                  </li>
                  <li>
                    <a href="/docs/guides/testing">{texts.sandbox}</a>
                  </li>
                </ul>
              </article>
            )}
          </section>
          <section class="features">
            <h2>{texts.featuresTitle}</h2>
            <dl>
              {texts.features.map(([name, text]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{text}</dd>
                </div>
              ))}
            </dl>
          </section>
        </main>
        <footer class="foot">
          <a href="/docs/changelog">{texts.changelog}</a>
          <a href="/openapi.json">OpenAPI</a>
          <a href="/llms.txt">llms.txt</a>
          <a href="/docs/design">{texts.design}</a>
        </footer>
      </body>
    </html>
  );
}

/** Shows a webhook delivery as the receiver gets it, but without most of its headers. */
function Sample({ caption }: { caption: string }) {
  return (
    <figure class="sample">
      <figcaption>{caption}</figcaption>
      <pre tabindex={0}>
        <code>
          {`POST /webhooks
X-Service-Event: order.paid
X-Service-Signature-256: sha256=5a0c9f…

{
  "event": "order.paid",
  "workspaceId": "01a1df25-1111-7c23…",
  "data": { "orderId": "01a1df2b-02c4-7d5e…" }
}`}
        </code>
      </pre>
    </figure>
  );
}
