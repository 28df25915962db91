import { MIN_PASSWORD, type PasswordFault } from '../../accounts/password-rules.js';
import type { Language } from '../../platform/html/language.js';
import { Alert, Field, Page, type Who } from '../../platform/html/page.js';

export type PasswordState = PasswordFault | 'asked' | 'wrong' | 'throttled' | 'busy' | 'changed';

const TEXTS = {
  en: {
    title: 'Change password',
    current: 'Current password',
    next: 'New password',
    hint: `At least ${MIN_PASSWORD} characters. A few words are better than one odd one.`,
    button: 'Change password',
    length: `The new password needs ${MIN_PASSWORD} to 200 characters.`,
    guessable: 'This password is too easy to guess. Choose another, for example a few words.',
    wrong: 'The current password is wrong.',
    throttled: 'Too many attempts. Wait fifteen minutes and try again.',
    busy: 'The system is busy right now. Try again in a few seconds; your password is unchanged.',
    changed: 'Your password is changed. Every other browser has been signed out.',
    back: 'Connected apps',
  },
  pt: {
    title: 'Trocar a senha',
    current: 'Senha atual',
    next: 'Senha nova',
    hint: `Pelo menos ${MIN_PASSWORD} caracteres. Algumas palavras valem mais que uma palavra estranha.`,
    button: 'Trocar a senha',
    length: `A senha nova precisa ter de ${MIN_PASSWORD} a 200 caracteres.`,
    guessable: 'Esta senha é fácil de adivinhar. Escolha outra, por exemplo algumas palavras.',
    wrong: 'A senha atual está errada.',
    throttled: 'Tentativas demais. Espere quinze minutos e tente de novo.',
    busy: 'O sistema está ocupado agora. Tente de novo em alguns segundos; sua senha não mudou.',
    changed: 'Sua senha foi trocada. Todos os outros navegadores foram desconectados.',
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
  who: Who;
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
