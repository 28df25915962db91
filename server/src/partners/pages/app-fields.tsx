import type { Language } from '../../platform/html/language.js';
import { Alert, Field } from '../../platform/html/page.js';
import type { AppForm } from '../app-form.js';

const TEXTS = {
  en: {
    name: 'Name',
    nameHint: 'Shown to merchants when they approve your app.',
    uris: 'Redirect URIs',
    urisHint: 'One per line, exactly as your app sends them. Use https, or http for localhost.',
    contact: 'Contact e-mail',
    contactHint: 'We use it to contact you about your app.',
  },
  pt: {
    name: 'Nome',
    nameHint: 'Exibido aos lojistas quando aprovam seu aplicativo.',
    uris: 'URLs de redirecionamento',
    urisHint: 'Uma por linha, exatamente como seu aplicativo as envia. Use https, ou http para localhost.',
    contact: 'E-mail de contato',
    contactHint: 'Usamos este e-mail para falar com você sobre o aplicativo.',
  },
};

export function AppFields({
  language,
  form,
  faults,
}: {
  language: Language;
  form: AppForm;
  faults: string[];
}) {
  const texts = TEXTS[language];
  return (
    <>
      {faults.length > 0 && (
        <Alert>
          {faults.map((fault) => (
            <span key={fault} class="line">
              {fault}
            </span>
          ))}
        </Alert>
      )}
      <Field name="name" label={texts.name} value={form.name} hint={texts.nameHint} />
      <p class="field">
        <label for="redirect-uris">{texts.uris}</label>
        <textarea
          id="redirect-uris"
          name="redirect-uris"
          rows={3}
          required
          aria-describedby="redirect-uris-hint"
          value={form.redirectUris}
        />
        <small id="redirect-uris-hint" class="hint">
          {texts.urisHint}
        </small>
      </p>
      <Field
        name="contact"
        label={texts.contact}
        type="email"
        value={form.contact}
        hint={texts.contactHint}
      />
    </>
  );
}
