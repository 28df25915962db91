import type { Language } from '../platform/html/language.js';
import { type AppNameFault, MAX_APP_NAME } from './app-names.js';
import { MAX_REDIRECT_URIS, type RedirectUriFault } from './redirect-uris.js';

interface RegistrationTexts {
  /** Written after the name of the field: "The name …", "--name …". */
  name: Record<AppNameFault, string>;
  /** Written after the redirect URI. */
  uri: Record<RedirectUriFault, string>;
  tooManyUris: string;
}

/** The messages for a rejected app registration, shown by the form and the command line. */
export const REGISTRATION_TEXTS: Record<Language, RegistrationTexts> = {
  en: {
    name: {
      length: `must have 1 to ${MAX_APP_NAME} characters`,
      invisible: 'must not contain line breaks or other invisible or control characters',
      script: 'must be written with Latin letters, so that merchants cannot confuse it with another name',
      blank: 'must contain a letter or a digit',
      ours: 'could be mistaken for Feira itself; choose the name of your product or company',
    },
    uri: {
      long: 'is longer than 2,000 characters',
      form: 'must be an absolute URL in ASCII characters, without spaces or any of \\ " < > ^ ` { | }',
      https: 'must be https',
      loopback: 'must be https (http is for localhost only)',
      fragment: 'must not have a fragment',
      userinfo: 'must not contain a user name or password',
    },
    tooManyUris: `Enter at most ${MAX_REDIRECT_URIS} redirect URIs.`,
  },
  pt: {
    name: {
      length: `precisa ter de 1 a ${MAX_APP_NAME} caracteres`,
      invisible: 'não pode ter quebras de linha nem outros caracteres invisíveis ou de controle',
      script: 'deve usar letras latinas, para que o lojista não o confunda com outro nome',
      blank: 'precisa conter uma letra ou um número',
      ours: 'pode ser confundido com a própria Feira; use o nome do seu produto ou da sua empresa',
    },
    uri: {
      long: 'tem mais de 2.000 caracteres',
      form: 'precisa ser uma URL completa em caracteres ASCII, sem espaços nem \\ " < > ^ ` { | }',
      https: 'precisa ser https',
      loopback: 'precisa ser https (http só para localhost)',
      fragment: 'não pode ter fragmento (#)',
      userinfo: 'não pode conter nome de usuário nem senha',
    },
    tooManyUris: `Informe no máximo ${MAX_REDIRECT_URIS} URLs de redirecionamento.`,
  },
};
