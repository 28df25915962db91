import { MIN_PASSWORD, type PasswordFault } from '../../accounts/password-rules.js';
import type { Language } from '../../platform/html/language.js';
import { Alert, Field, Page } from '../../platform/html/page.js';

export type SignUpFault = PasswordFault | 'email' | 'taken' | 'throttled' | 'busy';

const TEXTS = {
  en: {
    title: 'Build for Feira',
    lead: 'Create an account to register your app, get its credentials and connect the stores of your customers.',
    email: 'E-mail',
    password: 'Password',
    hint: `At least ${MIN_PASSWORD} characters.`,
    button: 'Create account',
    have: 'Already have an account?',
    signIn: 'Sign in',
    reference: 'Read the documentation',
    faults: {
      email: 'Enter a valid e-mail address.',
      length: `The password must have ${MIN_PASSWORD} to 200 characters.`,
      guessable: 'This password is too easy to guess. Choose another one, for example several words.',
      taken: 'An account with this e-mail already exists. Sign in instead.',
      throttled: 'Too many sign-ups from your network. Try again in an hour.',
      busy: 'The service is busy. Try again in a few seconds.',
    },
  },
  pt: {
    title: 'Desenvolva para a Feira',
    lead: 'Crie uma conta para registrar seu aplicativo, obter as credenciais e conectar as lojas dos seus clientes.',
    email: 'E-mail',
    password: 'Senha',
    hint: `Pelo menos ${MIN_PASSWORD} caracteres.`,
    button: 'Criar conta',
    have: 'Já tem conta?',
    signIn: 'Entrar',
    reference: 'Ler a documentação',
    faults: {
      email: 'Informe um e-mail válido.',
      length: `A senha deve ter de ${MIN_PASSWORD} a 200 caracteres.`,
      guessable: 'Esta senha é fácil de adivinhar. Escolha outra, por exemplo, com várias palavras.',
      taken: 'Já existe uma conta com este e-mail. Faça login.',
      throttled: 'Muitos cadastros a partir da sua rede. Tente novamente em uma hora.',
      busy: 'O serviço está sobrecarregado. Tente novamente em alguns segundos.',
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
