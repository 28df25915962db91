import type { OwnedStore } from '../../accounts/users.js';
import type { Language } from '../../platform/html/language.js';
import { Page, type SignedInUser } from '../../platform/html/page.js';
import type { AuthorizationRequest } from '../authorization-request.js';
import { SCOPE_TEXTS } from '../scope-texts.js';

const TEXTS = {
  en: {
    title: 'Connect an app',
    wants: 'wants to connect to your store',
    store: 'Store',
    may: 'If you approve, it may:',
    back: 'You will be redirected to',
    end: 'You can disconnect the app at any time under Connected apps. It never has access to your password.',
    approve: 'Approve',
    deny: 'Deny',
    none: 'This account has no store. Sign in with the account that owns the store.',
  },
  pt: {
    title: 'Conectar um aplicativo',
    wants: 'quer se conectar à sua loja',
    store: 'Loja',
    may: 'Se você aprovar, ele poderá:',
    back: 'Você será redirecionado para',
    end: 'Você pode desconectar o aplicativo quando quiser em Aplicativos conectados. Ele não tem acesso à sua senha.',
    approve: 'Aprovar',
    deny: 'Negar',
    none: 'Esta conta não tem loja. Entre com a conta proprietária da loja.',
  },
};

export function ConsentPage(props: {
  language: Language;
  who: SignedInUser;
  request: AuthorizationRequest;
  stores: OwnedStore[];
  /** The CSRF token, and the parameters of the request, which are checked again when the form is submitted. */
  hidden: Record<string, string>;
}) {
  const { language, who, request, stores, hidden } = props;
  const texts = TEXTS[language];
  const [only, ...others] = stores;
  return (
    <Page language={language} title={texts.title} who={who}>
      <h1>
        <strong>{request.app.name}</strong> {texts.wants}
      </h1>
      <form method="post" action="/oauth/authorize">
        {Object.entries(hidden).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        {only && others.length === 0 && (
          <p class="field">
            <span class="label">{texts.store}</span>
            <strong>{only.name}</strong>
            <input type="hidden" name="store" value={only.workspaceId} />
          </p>
        )}
        {others.length > 0 && (
          <p class="field">
            <label for="store">{texts.store}</label>
            <select id="store" name="store" required>
              {stores.map(({ workspaceId, name }) => (
                <option key={workspaceId} value={workspaceId}>
                  {name}
                </option>
              ))}
            </select>
          </p>
        )}
        {!only && <p role="status">{texts.none}</p>}
        <h2>{texts.may}</h2>
        <ul class="scopes">
          {request.scopes.map((scope) => (
            <li key={scope}>{SCOPE_TEXTS[language][scope]}</li>
          ))}
        </ul>
        <p class="hint">
          {texts.back} <strong>{new URL(request.redirectUri).host}</strong>. {texts.end}
        </p>
        <p class="actions">
          {only && (
            <button type="submit" name="decision" value="approve">
              {texts.approve}
            </button>
          )}
          <button type="submit" name="decision" value="deny" class="second">
            {texts.deny}
          </button>
        </p>
      </form>
    </Page>
  );
}
