import { groupedKey } from '../../orders/access-key.js';
import type { InvoiceRecord, InvoiceType } from '../../orders/records.js';
import type { Language } from '../../platform/html/language.js';

const NAMES: Record<InvoiceType, string> = { nfe: 'NF-e', dce: 'DC-e' };

const TEXTS = {
  en: {
    title: 'Invoice',
    number: (number: string) => `no. ${number}`,
    series: (series: string) => `series ${series}`,
    key: 'Access key',
    pdf: 'View the PDF',
    xml: 'Download the XML',
  },
  pt: {
    title: 'Nota fiscal',
    number: (number: string) => `nº ${number}`,
    series: (series: string) => `série ${series}`,
    key: 'Chave de acesso',
    pdf: 'Ver o PDF',
    xml: 'Baixar o XML',
  },
};

/** The fiscal documents of an order. Their URLs are safe to link, because only http and https URLs are stored. */
export function Invoices({ invoices, language }: { invoices: InvoiceRecord[]; language: Language }) {
  const texts = TEXTS[language];
  return (
    <section>
      <h2>{texts.title}</h2>
      {invoices.map(({ type, key, number, series, pdfUrl, xmlUrl }) => (
        <p key={key}>
          <strong>
            {[NAMES[type], number && texts.number(number), series && texts.series(series)]
              .filter(Boolean)
              .join(', ')}
          </strong>
          <br />
          {texts.key}: <code>{groupedKey(key)}</code>
          {pdfUrl && (
            <>
              {' '}
              <a href={pdfUrl} rel="noreferrer">
                {texts.pdf}
              </a>
            </>
          )}
          {xmlUrl && (
            <>
              {' '}
              <a href={xmlUrl} rel="noreferrer">
                {texts.xml}
              </a>
            </>
          )}
        </p>
      ))}
    </section>
  );
}
