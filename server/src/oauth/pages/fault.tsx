import type { Language } from '../../platform/html/language.js';
import { Page } from '../../platform/html/page.js';
import type { AuthorizationFault } from '../authorization-request.js';

const TEXTS = {
  en: {
    title: 'This link does not work',
    merchant:
      'The app that sent you here did not say correctly who it is or where to send you back, so we stopped. Nothing was approved. Go back to the app and try again, or tell its makers:',
  },
  pt: {
    title: 'Este link não funciona',
    merchant:
      'O aplicativo que trouxe você até aqui não disse corretamente quem é ou para onde você deve voltar, por isso paramos. Nada foi aprovado. Volte ao aplicativo e tente de novo, ou avise quem o faz:',
  },
};

/** Shown instead of a redirect when there is no address that may be trusted. */
export function FaultPage({ language, fault }: { language: Language; fault: AuthorizationFault }) {
  const texts = TEXTS[language];
  return (
    <Page language={language} title={texts.title}>
      <h1>{texts.title}</h1>
      <p>{texts.merchant}</p>
      <p>
        <code>
          {fault.error}: {fault.description}
        </code>
      </p>
    </Page>
  );
}
