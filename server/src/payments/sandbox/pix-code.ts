/**
 * Returns the text of a Pix QR code ("copia e cola"): EMV fields (id, length and value), followed by a checksum. The
 * Pix key uses a domain reserved for examples, so no bank finds a recipient.
 */
export function pixCode({
  id,
  amount,
  storeName,
}: {
  id: string;
  amount: number;
  storeName: string;
}): string {
  const account = field('00', 'br.gov.bcb.pix') + field('01', 'sandbox@feira.example');
  const fields = [
    field('00', '01'),
    field('26', account),
    field('52', '0000'),
    field('53', '986'),
    field('54', amount.toFixed(2)),
    field('58', 'BR'),
    field('59', plain(storeName, 25) || 'FEIRA'),
    field('60', 'SAO PAULO'),
    field('62', field('05', id.replace(/\W|_/g, '').slice(0, 25))),
  ].join('');
  const signed = `${fields}6304`;
  return signed + checksum(signed);
}

function field(id: string, value: string): string {
  return `${id}${String(value.length).padStart(2, '0')}${value}`;
}

function plain(text: string, longest: number): string {
  const ascii = text.normalize('NFKD').replace(/[^\x20-\x7e]/g, '');
  return ascii.toUpperCase().slice(0, longest).trim();
}

/** Computes the CRC-16/CCITT-FALSE checksum. */
function checksum(text: string): string {
  let crc = 0xffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff;
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}
