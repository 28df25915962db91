import type { Language } from '../../platform/html/language.js';
import { Alert, Field, Page } from '../../platform/html/page.js';

export type SignInFault = 'wrong' | 'throttled' | 'busy';

const TEXTS = {
  en: {
    title: 'Sign in',
    email: 'E-mail',
    password: 'Password',
    button: 'Sign in',
    wrong: 'Incorrect e-mail or password.',
    throttled: 'Too many attempts. Wait 15 minutes and try again.',
    busy: 'The service is busy. Try again in a few seconds.',
  },
  pt: {
    title: 'Entrar',
    email: 'E-mail',
    password: 'Senha',
    button: 'Entrar',
    wrong: 'E-mail ou senha incorretos.',
    throttled: 'Muitas tentativas. Aguarde 15 minutos e tente novamente.',
    busy: 'O serviço está sobrecarregado. Tente novamente em alguns segundos.',
  },
};

export function SignInPage(props: {
  language: Language;
  csrf: string;
  next: string;
  email?: string;
  fault?: SignInFault;
}) {
  const { language, csrf, next, email, fault } = props;
  const texts = TEXTS[language];
  return (
    <Page language={language} title={texts.title}>
      <h1>{texts.title}</h1>
      {fault && <Alert>{texts[fault]}</Alert>}
      <form method="post" action="/sign-in">
        <input type="hidden" name="csrf" value={csrf} />
        <input type="hidden" name="next" value={next} />
        <Field name="email" label={texts.email} type="email" value={email} autocomplete="username" />
        <Field name="password" label={texts.password} type="password" autocomplete="current-password" />
        <p class="actions">
          <button type="submit">{texts.button}</button>
        </p>
      </form>
    </Page>
  );
}
