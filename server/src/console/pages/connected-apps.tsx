import type { ConnectedApp } from '../../oauth/connections.js';
import { SCOPE_TEXTS } from '../../oauth/scope-texts.js';
import type { Language } from '../../platform/html/language.js';
import { Page, type SignedInUser } from '../../platform/html/page.js';
import { shortTime } from '../../platform/html/time.js';

const TEXTS = {
  en: {
    title: 'Connected apps',
    none: 'No app is connected to this store.',
    noStore: 'This account has no store.',
    since: 'Connected',
    used: 'Last used',
    never: 'never used',
    failing:
      'Notifications to this app are failing, so it may not have your latest changes. Its developer can see the reason.',
    disconnect: 'Disconnect',
    effect: 'Disconnecting takes effect immediately.',
    payments: 'Payments to check',
    check: 'Some payments of this store do not match its orders.',
    password: 'Change password',
  },
  pt: {
    title: 'Aplicativos conectados',
    none: 'Nenhum aplicativo está conectado a esta loja.',
    noStore: 'Esta conta não tem loja.',
    since: 'Conectado em',
    used: 'Último uso',
    never: 'nunca usado',
    failing:
      'As notificações para este aplicativo estão falhando, e ele pode não ter as últimas alterações da sua loja. O desenvolvedor pode consultar o motivo.',
    disconnect: 'Desconectar',
    effect: 'A desconexão tem efeito imediato.',
    payments: 'Pagamentos a conferir',
    check: 'Alguns pagamentos desta loja não correspondem aos pedidos.',
    password: 'Alterar senha',
  },
};

export function ConnectedAppsPage(props: {
  language: Language;
  who: SignedInUser;
  stores: {
    workspaceId: string;
    name: string;
    connections: ConnectedApp[];
    failing: Set<string>;
    paymentsToCheck: number;
  }[];
  csrf: (workspaceId: string, clientId: string) => string;
}) {
  const { language, who, stores, csrf } = props;
  const texts = TEXTS[language];
  return (
    <Page language={language} title={texts.title} who={who} wide>
      <h1>{texts.title}</h1>
      {stores.length === 0 && <p>{texts.noStore}</p>}
      {stores.map(({ workspaceId, name, connections, failing, paymentsToCheck }) => (
        <section key={workspaceId}>
          <h2>{name}</h2>
          {paymentsToCheck > 0 && (
            <p role="status">
              {texts.check} <a href="/console/payments">{texts.payments}</a>
            </p>
          )}
          {connections.length === 0 && <p>{texts.none}</p>}
          {connections.map((connection) => (
            <article key={connection.clientId} class="card">
              <h3>{connection.name}</h3>
              <p class="hint">
                {texts.since} {shortTime(connection.connectedAt, language)} · {texts.used}:{' '}
                {connection.lastUsedAt ? shortTime(connection.lastUsedAt, language) : texts.never}
              </p>
              {failing.has(connection.clientId) && <p role="status">{texts.failing}</p>}
              <ul class="scopes">
                {connection.scopes.map((scope) => (
                  <li key={scope}>{SCOPE_TEXTS[language][scope]}</li>
                ))}
              </ul>
              <form method="post" action="/console/apps/disconnect" class="actions">
                <input type="hidden" name="csrf" value={csrf(workspaceId, connection.clientId)} />
                <input type="hidden" name="store" value={workspaceId} />
                <input type="hidden" name="client_id" value={connection.clientId} />
                <button type="submit" class="danger">
                  {texts.disconnect}
                </button>
                <small class="hint">{texts.effect}</small>
              </form>
            </article>
          ))}
        </section>
      ))}
      <p>
        <a href="/console/payments">{texts.payments}</a>
      </p>
      <p>
        <a href="/console/password">{texts.password}</a>
      </p>
    </Page>
  );
}
