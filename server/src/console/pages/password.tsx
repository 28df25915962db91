import { MIN_PASSWORD, type PasswordFault } from '../../accounts/password-rules.js';
import type { Language } from '../../platform/html/language.js';
import { Alert, Field, Page, type SignedInUser } from '../../platform/html/page.js';

export type PasswordState = PasswordFault | 'asked' | 'wrong' | 'throttled' | 'busy' | 'changed';

const TEXTS = {
  en: {
    title: 'Change password',
    current: 'Current password',
    next: 'New password',
    hint: `At least ${MIN_PASSWORD} characters. Several words are better than one complicated word.`,
    button: 'Change password',
    length: `The new password must have ${MIN_PASSWORD} to 200 characters.`,
    guessable: 'This password is too easy to guess. Choose another one, for example several words.',
    wrong: 'The current password is incorrect.',
    throttled: 'Too many attempts. Wait 15 minutes and try again.',
    busy: 'The service is busy and your password was not changed. Try again in a few seconds.',
    changed: 'Your password was changed. All other browsers were signed out.',
    back: 'Connected apps',
  },
  pt: {
    title: 'Alterar senha',
    current: 'Senha atual',
    next: 'Nova senha',
    hint: `Pelo menos ${MIN_PASSWORD} caracteres. Várias palavras são melhores que uma palavra complicada.`,
    button: 'Alterar senha',
    length: `A nova senha deve ter de ${MIN_PASSWORD} a 200 caracteres.`,
    guessable: 'Esta senha é fácil de adivinhar. Escolha outra, por exemplo, com várias palavras.',
    wrong: 'A senha atual está incorreta.',
    throttled: 'Muitas tentativas. Aguarde 15 minutos e tente novamente.',
    busy: 'O serviço está sobrecarregado e sua senha não foi alterada. Tente novamente em alguns segundos.',
    changed: 'Sua senha foi alterada. As sessões em outros navegadores foram encerradas.',
    back: 'Aplicativos conectados',
  },
};

export function PasswordPage({
  language,
  who,
  csrf,
  state,
}: {
  language: Language;
  who: SignedInUser;
  csrf: string;
  state: PasswordState;
}) {
  const texts = TEXTS[language];
  return (
    <Page language={language} title={texts.title} who={who}>
      <h1>{texts.title}</h1>
      {state === 'changed' && <p role="status">{texts.changed}</p>}
      {state !== 'asked' && state !== 'changed' && <Alert>{texts[state]}</Alert>}
      {state !== 'changed' && (
        <form method="post" action="/console/password">
          <input type="hidden" name="csrf" value={csrf} />
          <Field name="password" label={texts.current} type="password" autocomplete="current-password" />
          <Field
            name="new-password"
            label={texts.next}
            type="password"
            autocomplete="new-password"
            hint={texts.hint}
            minLength={MIN_PASSWORD}
          />
          <p class="actions">
            <button type="submit">{texts.button}</button>
          </p>
        </form>
      )}
      <p>
        <a href="/console/apps">{texts.back}</a>
      </p>
    </Page>
  );
}
