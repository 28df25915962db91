import { redirectUriFault } from '../oauth/redirect-uris.js';
import type { Fields } from '../platform/forms.js';
import type { Language } from '../platform/html/language.js';
import { isEmail } from '../stores/users.js';

/** What an integrator typed about an app, as it was typed. */
export interface AppForm {
  name: string;
  redirectUris: string;
  contact: string;
}

export const EMPTY_FORM: AppForm = { name: '', redirectUris: '', contact: '' };
const MAX_URIS = 10;

const FAULTS = {
  en: {
    name: 'The name needs 1 to 100 characters.',
    none: 'Give at least one redirect address.',
    many: `Give at most ${MAX_URIS} redirect addresses.`,
    contact: 'The contact must be an e-mail address.',
  },
  pt: {
    name: 'O nome precisa ter de 1 a 100 caracteres.',
    none: 'Informe pelo menos um endereço de retorno.',
    many: `Informe no máximo ${MAX_URIS} endereços de retorno.`,
    contact: 'O contato precisa ser um e-mail.',
  },
};

export function readAppForm(fields: Fields): AppForm {
  return {
    name: fields.text('name'),
    redirectUris: fields.text('redirect-uris'),
    contact: fields.text('contact'),
  };
}

/** The app that the form describes, and all that is wrong with it. */
export function judgeAppForm(
  form: AppForm,
  language: Language,
): { app: { name: string; redirectUris: string[]; contact: string }; faults: string[] } {
  const texts = FAULTS[language];
  const name = form.name.trim();
  const contact = form.contact.trim();
  const redirectUris = [...new Set(form.redirectUris.split(/\s+/).filter(Boolean))];
  const faults: string[] = [];
  if (name === '' || [...name].length > 100 || name.includes('\0') || !name.isWellFormed())
    faults.push(texts.name);
  if (redirectUris.length === 0) faults.push(texts.none);
  if (redirectUris.length > MAX_URIS) faults.push(texts.many);
  for (const uri of redirectUris) {
    const fault = redirectUriFault(uri);
    if (fault) faults.push(`${uri} ${fault}`);
  }
  if (!isEmail(contact)) faults.push(texts.contact);
  return { app: { name, redirectUris, contact }, faults };
}
