import type { Language } from '../../platform/html/language.js';
import { Page } from '../../platform/html/page.js';
import type { AuthorizationFault } from '../authorization-request.js';

const TEXTS = {
  en: {
    title: 'This link does not work',
    merchant:
      'The request from the app is invalid. Nothing was approved. Go back to the app and try again, or send this message to its developer:',
  },
  pt: {
    title: 'Este link não funciona',
    merchant:
      'A solicitação do aplicativo é inválida. Nada foi aprovado. Volte ao aplicativo e tente novamente ou envie esta mensagem ao desenvolvedor:',
  },
};

/** Shown instead of a redirect when there is no trusted redirect URI. */
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
