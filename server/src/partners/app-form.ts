import { isEmail } from '../accounts/users.js';
import { appNameFault, normalizedAppName } from '../oauth/app-names.js';
import { MAX_APPS_PER_ACCOUNT } from '../oauth/owned-apps.js';
import { MAX_REDIRECT_URI, MAX_REDIRECT_URIS, redirectUriFault } from '../oauth/redirect-uris.js';
import { REGISTRATION_TEXTS } from '../oauth/registration-texts.js';
import type { Language } from '../platform/html/language.js';
import type { Fields } from '../platform/http/forms.js';

/** The values for an app exactly as the integrator entered them. */
export interface AppForm {
  name: string;
  redirectUris: string;
  contact: string;
}

export const EMPTY_FORM: AppForm = { name: '', redirectUris: '', contact: '' };

export const TOO_MANY_APPS = {
  en: `An account can have at most ${MAX_APPS_PER_ACCOUNT} apps. Reuse one that you no longer need, or contact us.`,
  pt: `Uma conta pode ter no máximo ${MAX_APPS_PER_ACCOUNT} aplicativos. Reaproveite um que você não usa mais ou entre em contato conosco.`,
};

const FAULTS = {
  en: {
    name: 'The name',
    none: 'Enter at least one redirect URI.',
    contact: 'The contact must be an e-mail address.',
  },
  pt: {
    name: 'O nome',
    none: 'Informe pelo menos uma URL de redirecionamento.',
    contact: 'O contato deve ser um e-mail válido.',
  },
};

export function readAppForm(fields: Fields): AppForm {
  return {
    name: fields.text('name'),
    redirectUris: fields.text('redirect-uris'),
    contact: fields.text('contact'),
  };
}

/** Returns the app that the form describes, and the errors in the form. */
export function validateAppForm(
  form: AppForm,
  language: Language,
): { app: { name: string; redirectUris: string[]; contact: string }; faults: string[] } {
  const texts = FAULTS[language];
  const name = normalizedAppName(form.name);
  const contact = form.contact.trim();
  const redirectUris = [...new Set(form.redirectUris.split(/\s+/).filter(Boolean))];
  const faults: string[] = [];
  const nameFault = appNameFault(name);
  if (nameFault) faults.push(`${texts.name} ${REGISTRATION_TEXTS[language].name[nameFault]}.`);
  faults.push(...urisFaults(redirectUris, language));
  if (!isEmail(contact)) faults.push(texts.contact);
  return { app: { name, redirectUris, contact }, faults };
}

/** If there are too many URIs, only that is reported, so that the page does not show thousands of errors. */
function urisFaults(uris: string[], language: Language): string[] {
  const texts = REGISTRATION_TEXTS[language];
  if (uris.length === 0) return [FAULTS[language].none];
  if (uris.length > MAX_REDIRECT_URIS) return [texts.tooManyUris];
  return uris.flatMap((uri) => {
    const fault = redirectUriFault(uri);
    const shown = uri.length > MAX_REDIRECT_URI ? `${uri.slice(0, 60)}…` : uri;
    return fault ? [`${shown} ${texts.uri[fault]}`] : [];
  });
}
