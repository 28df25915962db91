import type { OwnedApp } from '../../oauth/owned-apps.js';
import type { Language } from '../../platform/html/language.js';
import { Alert, Page, type Who } from '../../platform/html/page.js';
import type { AppForm } from '../app-form.js';
import { AppFields } from './app-fields.js';

const TEXTS = {
  en: {
    id: 'Client id',
    stores: 'Connected stores',
    secret: 'Client secret',
    once: 'Copy it now: it is shown this once. We keep only its hash.',
    secrets: 'Secrets in use, by the time they were made (UTC):',
    rotate: 'Make a new secret',
    rotateHint:
      'The present one goes on working beside it until you end it, so nothing breaks while you change it. A third one ends the oldest.',
    end: 'End the old secret',
    failing: 'Webhooks fail here; GET /webhooks/{id}/deliveries says why:',
    settings: 'Settings',
    save: 'Save',
    back: 'Your apps',
    notices: {
      registered: 'Your app is registered.',
      rotated: 'The new secret is ready.',
      ended: 'The old secret no longer works.',
      saved: 'Your changes are saved.',
    },
  },
  pt: {
    id: 'Client id',
    stores: 'Lojas conectadas',
    secret: 'Client secret',
    once: 'Copie agora: ele só aparece desta vez. Guardamos apenas o hash.',
    secrets: 'Secrets em uso, pela hora em que foram criados (UTC):',
    rotate: 'Criar um novo secret',
    rotateHint:
      'O atual continua valendo ao lado dele até você encerrá-lo, então nada quebra na troca. Um terceiro encerra o mais antigo.',
    end: 'Encerrar o secret antigo',
    failing: 'Webhooks falham aqui; GET /webhooks/{id}/deliveries diz o motivo:',
    settings: 'Configurações',
    save: 'Salvar',
    back: 'Seus aplicativos',
    notices: {
      registered: 'Seu aplicativo foi registrado.',
      rotated: 'O novo secret está pronto.',
      ended: 'O secret antigo não funciona mais.',
      saved: 'Suas alterações foram salvas.',
    },
  },
};

/** What the form before this page did. A secret that it made is shown on this page and never again. */
export interface AppNews {
  notice: keyof typeof TEXTS.en.notices;
  secret?: string;
}

export function AppPage(props: {
  language: Language;
  who: Who;
  csrf: string;
  app: OwnedApp;
  failing: { url: string; stores: number }[];
  notice?: AppNews['notice'];
  secret?: string;
  form?: AppForm;
  faults?: string[];
}) {
  const { language, who, csrf, app, failing, notice, secret, faults = [] } = props;
  const texts = TEXTS[language];
  const address = `/partners/apps/${app.clientId}`;
  const form = props.form ?? {
    name: app.name,
    redirectUris: app.redirectUris.join('\n'),
    contact: app.contact ?? '',
  };
  return (
    <Page language={language} title={app.name} who={who} wide>
      <h1>{app.name}</h1>
      {notice && (
        <p class="notice" role="status">
          {texts.notices[notice]}
        </p>
      )}
      <dl class="facts">
        <dt>{texts.id}</dt>
        <dd>
          <code>{app.clientId}</code>
        </dd>
        {secret && (
          <>
            <dt>{texts.secret}</dt>
            <dd>
              <code class="secret">{secret}</code>
              <small class="hint">{texts.once}</small>
            </dd>
          </>
        )}
        <dt>{texts.stores}</dt>
        <dd>{app.stores}</dd>
      </dl>
      {failing.map(({ url, stores }) => (
        <Alert key={url}>
          {texts.failing} <code>{url}</code> ({texts.stores}: {stores})
        </Alert>
      ))}
      <section class="card">
        <p>{texts.secrets}</p>
        <ul>
          {app.secrets.map((made) => (
            <li key={made}>{made}</li>
          ))}
        </ul>
        <form method="post" action={`${address}/rotate`}>
          <input type="hidden" name="csrf" value={csrf} />
          <button type="submit">{texts.rotate}</button>
          <small class="hint">{texts.rotateHint}</small>
        </form>
        {app.secrets.length > 1 && (
          <form method="post" action={`${address}/end-old-secret`}>
            <input type="hidden" name="csrf" value={csrf} />
            <button type="submit" class="danger">
              {texts.end}
            </button>
          </form>
        )}
      </section>
      <h2>{texts.settings}</h2>
      <form method="post" action={address}>
        <input type="hidden" name="csrf" value={csrf} />
        <AppFields language={language} form={form} faults={faults} />
        <p class="actions">
          <button type="submit">{texts.save}</button>
          <a href="/partners">{texts.back}</a>
        </p>
      </form>
    </Page>
  );
}
