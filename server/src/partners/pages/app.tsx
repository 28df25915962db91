import type { OwnedApp } from '../../oauth/owned-apps.js';
import type { Language } from '../../platform/html/language.js';
import { Alert, Page, type SignedInUser } from '../../platform/html/page.js';
import type { AppForm } from '../app-form.js';
import { AppFields } from './app-fields.js';

const TEXTS = {
  en: {
    id: 'Client id',
    stores: 'Connected stores',
    affected: 'stores affected',
    secret: 'Client secret',
    once: 'Copy it now. It is shown only once.',
    secrets: 'Active secrets by creation time (UTC):',
    rotate: 'Create a new secret',
    rotateHint:
      'The current secret stays valid until you revoke it, so your app keeps working during the change. Creating a third secret revokes the oldest.',
    end: 'Revoke the old secret',
    failing: 'Failing webhooks (see GET /webhooks/{id}/deliveries for the reason):',
    settings: 'Settings',
    save: 'Save',
    back: 'Your apps',
    notices: {
      registered: 'Your app is registered.',
      rotated: 'The new secret was created.',
      ended: 'The old secret was revoked.',
      saved: 'Your changes are saved.',
    },
  },
  pt: {
    id: 'Client id',
    stores: 'Lojas conectadas',
    affected: 'lojas afetadas',
    secret: 'Client secret',
    once: 'Copie agora. Ele será exibido apenas uma vez.',
    secrets: 'Secrets ativos por data de criação (UTC):',
    rotate: 'Criar um novo secret',
    rotateHint:
      'O secret atual continua válido até você revogá-lo, e seu aplicativo funciona normalmente durante a troca. Ao criar um terceiro, o mais antigo é revogado.',
    end: 'Revogar o secret antigo',
    failing: 'Webhooks com falha (consulte o motivo em GET /webhooks/{id}/deliveries):',
    settings: 'Configurações',
    save: 'Salvar',
    back: 'Seus aplicativos',
    notices: {
      registered: 'Seu aplicativo foi registrado.',
      rotated: 'O novo secret foi criado.',
      ended: 'O secret antigo foi revogado.',
      saved: 'Suas alterações foram salvas.',
    },
  },
};

/** The result of the form that led to this page. It is shown only once, even if it contains a new secret. */
export interface AppNews {
  notice: keyof typeof TEXTS.en.notices;
  secret?: string;
}

export function AppPage(props: {
  language: Language;
  who: SignedInUser;
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
          {texts.failing} <code>{url}</code> ({texts.affected}: {stores})
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
