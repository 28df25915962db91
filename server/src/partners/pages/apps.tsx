import type { AppRecord } from '../../oauth/apps.js';
import type { Language } from '../../platform/html/language.js';
import { Page, type SignedInUser } from '../../platform/html/page.js';

const TEXTS = {
  en: {
    title: 'Your apps',
    none: 'You have no apps yet.',
    register: 'Register an app',
    reference: 'API reference',
  },
  pt: {
    title: 'Seus aplicativos',
    none: 'Você ainda não tem aplicativos.',
    register: 'Registrar um aplicativo',
    reference: 'Referência da API',
  },
};

export function AppsPage({
  language,
  who,
  apps,
}: {
  language: Language;
  who: SignedInUser;
  apps: AppRecord[];
}) {
  const texts = TEXTS[language];
  return (
    <Page language={language} title={texts.title} who={who} wide>
      <h1>{texts.title}</h1>
      {apps.length === 0 && <p>{texts.none}</p>}
      {apps.map(({ clientId, name }) => (
        <article key={clientId} class="card">
          <h2>
            <a href={`/partners/apps/${clientId}`}>{name}</a>
          </h2>
          <p class="hint">
            <code>{clientId}</code>
          </p>
        </article>
      ))}
      <p class="actions">
        <a class="button" href="/partners/apps/new">
          {texts.register}
        </a>
        <a href="/docs">{texts.reference}</a>
      </p>
    </Page>
  );
}
