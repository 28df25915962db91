import type { ShippingStatus } from '../orders/shipping-status.js';

/** Where the sandbox carrier collects parcels; freight.ts quotes from there too. */
const ORIGIN = 'São Paulo/SP';

/** Where a state's parcels are sorted: its capital. */
const CAPITALS: Record<string, string> = {
  AC: 'Rio Branco',
  AL: 'Maceió',
  AP: 'Macapá',
  AM: 'Manaus',
  BA: 'Salvador',
  CE: 'Fortaleza',
  DF: 'Brasília',
  ES: 'Vitória',
  GO: 'Goiânia',
  MA: 'São Luís',
  MT: 'Cuiabá',
  MS: 'Campo Grande',
  MG: 'Belo Horizonte',
  PA: 'Belém',
  PB: 'João Pessoa',
  PR: 'Curitiba',
  PE: 'Recife',
  PI: 'Teresina',
  RJ: 'Rio de Janeiro',
  RN: 'Natal',
  RS: 'Porto Alegre',
  RO: 'Porto Velho',
  RR: 'Boa Vista',
  SC: 'Florianópolis',
  SP: 'São Paulo',
  SE: 'Aracaju',
  TO: 'Palmas',
};

/** Where the sandbox carrier sees a parcel: it leaves the origin, passes the capital of the state, reaches the buyer. */
export function scanPlace(status: ShippingStatus, to: { city: string; state: string }): string {
  if (status === 'delivered') return `${to.city}/${to.state}`;
  const capital = CAPITALS[to.state];
  return status === 'in_transit' && capital ? `${capital}/${to.state}` : ORIGIN;
}
