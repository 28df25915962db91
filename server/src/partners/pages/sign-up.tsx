import { MIN_PASSWORD, type PasswordFault } from '../../accounts/password-rules.js';
import type { Language } from '../../platform/html/language.js';
import { Alert, Field, Page } from '../../platform/html/page.js';

export type SignUpFault = PasswordFault | 'email' | 'taken' | 'throttled' | 'busy';

const TEXTS = {
  en: {
    title: 'Build for Feira',
    lead: 'Register your app, get its keys, and connect the stores of your customers. Start with an account.',
    email: 'E-mail',
    password: 'Password',
    hint: `At least ${MIN_PASSWORD} characters.`,
    button: 'Create account',
    have: 'You have an account?',
    signIn: 'Sign in',
    reference: 'Read the API reference',
    faults: {
      email: 'This is not an e-mail address.',
      length: `The password needs ${MIN_PASSWORD} to 200 characters.`,
      guessable: 'This password is too easy to guess. Choose another, for example a few words.',
      taken: 'There is an account with this e-mail. Sign in instead.',
      throttled: 'Too many accounts were asked for from your network. Try again in an hour.',
      busy: 'Many people are signing up right now. Try again in a few seconds.',
    },
  },
  pt: {
    title: 'Construa para a Feira',
    lead: 'Registre seu aplicativo, receba as chaves e conecte as lojas dos seus clientes. Comece com uma conta.',
    email: 'E-mail',
    password: 'Senha',
    hint: `Pelo menos ${MIN_PASSWORD} caracteres.`,
    button: 'Criar conta',
    have: 'Já tem conta?',
    signIn: 'Entrar',
    reference: 'Ler a referência da API',
    faults: {
      email: 'Isto não é um e-mail.',
      length: `A senha precisa ter de ${MIN_PASSWORD} a 200 caracteres.`,
      guessable: 'Esta senha é fácil de adivinhar. Escolha outra, por exemplo algumas palavras.',
      taken: 'Já existe uma conta com este e-mail. Entre com ela.',
      throttled: 'Muitas contas foram pedidas a partir da sua rede. Tente de novo daqui a uma hora.',
      busy: 'Muita gente está criando conta agora. Tente de novo em alguns segundos.',
    },
  },
};

export function SignUpPage({
  language,
  csrf,
  email,
  fault,
}: {
  language: Language;
  csrf: string;
  email?: string;
  fault?: SignUpFault;
}) {
  const texts = TEXTS[language];
  return (
    <Page language={language} title={texts.title}>
      <h1>{texts.title}</h1>
      <p>{texts.lead}</p>
      {fault && <Alert>{texts.faults[fault]}</Alert>}
      <form method="post" action="/partners/sign-up">
        <input type="hidden" name="csrf" value={csrf} />
        <Field name="email" label={texts.email} type="email" value={email} autocomplete="username" />
        <Field
          name="password"
          label={texts.password}
          type="password"
          autocomplete="new-password"
          hint={texts.hint}
          minLength={MIN_PASSWORD}
        />
        <p class="actions">
          <button type="submit">{texts.button}</button>
        </p>
      </form>
      <p>
        {texts.have} <a href="/sign-in?next=%2Fpartners">{texts.signIn}</a> ·{' '}
        <a href="/docs/">{texts.reference}</a>
      </p>
    </Page>
  );
}
