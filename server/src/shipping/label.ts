import { groupedKey } from '../orders/access-key.js';
import type { InvoiceType } from '../orders/records.js';
import { code128 } from './barcode.js';

export interface Label {
  code: string;
  carrier: string;
  storeName: string;
  orderNumber: number;
  recipient: string;
  addressLines: string[];
  /** Fiscal documents that travel with the parcel. */
  invoices: { type: InvoiceType; key: string }[];
}

const WIDTH = 288;
const HEIGHT = 432;
const MARGIN = 20;

/** Returns a label of 4 × 6 inches as a PDF. It contains only text, a line and bars, so no PDF library is needed. */
export function labelPdf(label: Label): Buffer {
  const lines = [
    text(MARGIN, HEIGHT - 40, 16, wrapped(label.carrier, 16, 1)[0]!, 'bold'),
    text(MARGIN, HEIGHT - 58, 9, wrapped(`#${label.orderNumber} · ${label.storeName}`, 9, 1)[0]!),
    `0.5 w ${MARGIN} ${HEIGHT - 70} m ${WIDTH - MARGIN} ${HEIGHT - 70} l S`,
    text(MARGIN, HEIGHT - 92, 9, 'Destinatário'),
    ...wrapped(label.recipient, 14, 2).map((line, index) =>
      text(MARGIN, HEIGHT - 112 - index * 16, 14, line, 'bold'),
    ),
    ...label.addressLines
      .flatMap((line, index) => wrapped(line, 11, index === 0 ? 3 : 2))
      .map((line, index) => text(MARGIN, HEIGHT - 150 - index * 14, 11, line)),
    ...invoiceLines(label.invoices).map((line, index) => text(MARGIN, 158 - index * 8, 6, line)),
    ...bars(label.code),
    text(MARGIN + 48, 36, 14, label.code, 'bold'),
  ];
  return assemble(lines.join('\n'));
}

const DOCUMENTS: Record<InvoiceType, string> = { nfe: 'NF-e', dce: 'DC-e' };
/** The number of access keys that fit between the address and the barcode. */
const MAX_KEYS = 2;

function invoiceLines(invoices: Label['invoices']): string[] {
  const lines = invoices.slice(0, MAX_KEYS).map(({ type, key }) => `${DOCUMENTS[type]} ${groupedKey(key)}`);
  const others = invoices.length - lines.length;
  return others > 0
    ? [...lines, `+ ${others} ${others === 1 ? 'documento fiscal' : 'documentos fiscais'}`]
    : lines;
}

function bars(code: string): string[] {
  const widths = code128(code);
  const unit = (WIDTH - 2 * MARGIN) / widths.reduce((sum, width) => sum + width, 0);
  let x = MARGIN;
  return widths.flatMap((width, index) => {
    const bar = index % 2 === 0 ? [`${x.toFixed(3)} 60 ${(width * unit).toFixed(3)} 76 re f`] : [];
    x += width * unit;
    return bar;
  });
}

/**
 * Wraps text to the width between the margins. Otherwise a long address would run off the label and lose its house
 * number.
 */
function wrapped(content: string, size: number, maxLines: number): string[] {
  const lines = [''];
  for (const word of content.split(/\s+/)) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (fits(longer, size)) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines
    .filter((line, index) => line !== '' || index === 0)
    .slice(0, maxLines)
    .map((line) => cut(line, size));
}

function cut(line: string, size: number): string {
  let kept = line;
  while (!fits(kept, size)) kept = kept.slice(0, -1);
  return kept;
}

/** Returns whether a line fits between the margins, even in bold. Character widths are estimates, mostly rounded up. */
function fits(line: string, size: number): boolean {
  const ems = [...line].reduce((sum, character) => sum + emsOf(character), 0);
  return ems * size <= WIDTH - 2 * MARGIN;
}

function emsOf(character: string): number {
  if (/[ .,:;'ijlI()[\]|!-]/.test(character)) return 0.34;
  if (/[MWmw%@—]/.test(character)) return 0.98;
  return /[\p{Lu}&]/u.test(character) ? 0.78 : 0.62;
}

function text(
  x: number,
  y: number,
  size: number,
  content: string,
  weight: 'bold' | 'plain' = 'plain',
): string {
  return `BT /${weight === 'bold' ? 'B' : 'P'} ${size} Tf ${x} ${y} Td (${escaped(content)}) Tj ET`;
}

/** Escapes text for PDF. Characters outside Latin-1, which covers Portuguese, become question marks. */
function escaped(content: string): string {
  const latin = [...content.normalize('NFC')]
    .map((character) => (character.charCodeAt(0) < 256 && character.length === 1 ? character : '?'))
    .join('');
  return latin.replace(/[\\()]/g, '\\$&').replace(/[\r\n]/g, ' ');
}

function assemble(content: string): Buffer {
  const font = (name: string) =>
    `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${WIDTH} ${HEIGHT}] /Contents 4 0 R /Resources << /Font << /P 5 0 R /B 6 0 R >> >> >>`,
    `<< /Length ${Buffer.byteLength(content, 'latin1')} >>\nstream\n${content}\nendstream`,
    font('Helvetica'),
    font('Helvetica-Bold'),
  ];
  let body = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = Buffer.byteLength(body, 'latin1');
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const start = Buffer.byteLength(body, 'latin1');
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  body += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(body, 'latin1');
}
