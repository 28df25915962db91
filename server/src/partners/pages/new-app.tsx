import type { Language } from '../../platform/html/language.js';
import { Page, type SignedInUser } from '../../platform/html/page.js';
import type { AppForm } from '../app-form.js';
import { AppFields } from './app-fields.js';

const TEXTS = {
  en: { title: 'Register an app', button: 'Register', back: 'Your apps' },
  pt: { title: 'Registrar um aplicativo', button: 'Registrar', back: 'Seus aplicativos' },
};

export function NewAppPage(props: {
  language: Language;
  who: SignedInUser;
  csrf: string;
  form: AppForm;
  faults: string[];
}) {
  const { language, who, csrf, form, faults } = props;
  const texts = TEXTS[language];
  return (
    <Page language={language} title={texts.title} who={who}>
      <h1>{texts.title}</h1>
      <form method="post" action="/partners/apps">
        <input type="hidden" name="csrf" value={csrf} />
        <AppFields language={language} form={form} faults={faults} />
        <p class="actions">
          <button type="submit">{texts.button}</button>
          <a href="/partners">{texts.back}</a>
        </p>
      </form>
    </Page>
  );
}
