import type { Language } from '../platform/html/language.js';
import { type AppNameFault, MAX_APP_NAME } from './app-names.js';
import { MAX_REDIRECT_URIS, type RedirectUriFault } from './redirect-uris.js';

interface RegistrationTexts {
  /** Follows the field: "The name …", "--name …". */
  name: Record<AppNameFault, string>;
  /** Follows the address. */
  uri: Record<RedirectUriFault, string>;
  tooManyUris: string;
}

/** What is wrong with the registration of an app, for the form and for the command line. */
export const REGISTRATION_TEXTS: Record<Language, RegistrationTexts> = {
  en: {
    name: {
      length: `needs 1 to ${MAX_APP_NAME} characters`,
      invisible: 'must not contain line breaks or other invisible or control characters',
      script: 'must be written with Latin letters, so that merchants cannot confuse it with another name',
      blank: 'needs a letter or a digit',
      ours: 'could be mistaken for Feira itself; choose the name of your product or company',
    },
    uri: {
      long: 'is longer than 2,000 characters',
      form: 'is not an absolute address in plain characters',
      https: 'must be https',
      loopback: 'must be https (http is for localhost only)',
      fragment: 'must not have a fragment',
      userinfo: 'must not carry a user name',
    },
    tooManyUris: `Give at most ${MAX_REDIRECT_URIS} redirect addresses.`,
  },
  pt: {
    name: {
      length: `precisa ter de 1 a ${MAX_APP_NAME} caracteres`,
      invisible: 'não pode ter quebras de linha nem outros caracteres invisíveis ou de controle',
      script: 'deve usar letras latinas, para que o lojista não o confunda com outro nome',
      blank: 'precisa de uma letra ou de um número',
      ours: 'pode ser confundido com a própria Feira; use o nome do seu produto ou da sua empresa',
    },
    uri: {
      long: 'tem mais de 2.000 caracteres',
      form: 'não é um endereço completo em caracteres simples',
      https: 'precisa ser https',
      loopback: 'precisa ser https (http só para localhost)',
      fragment: 'não pode ter fragmento (#)',
      userinfo: 'não pode conter nome de usuário',
    },
    tooManyUris: `Informe no máximo ${MAX_REDIRECT_URIS} endereços de retorno.`,
  },
};
