import type { ShippingStatus } from '../orders/shipping-status.js';

/** Where the sandbox carrier collects parcels. The prices in freight.ts assume the same origin. */
const ORIGIN = 'São Paulo/SP';

/** The capital of each state, where the sandbox carrier sorts the parcels for that state. */
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

/** Returns the place of a scan: the buyer's city when delivered, the state capital when in transit, else the origin. */
export function scanPlace(status: ShippingStatus, to: { city: string; state: string }): string {
  if (status === 'delivered') return `${to.city}/${to.state}`;
  const capital = CAPITALS[to.state];
  return status === 'in_transit' && capital ? `${capital}/${to.state}` : ORIGIN;
}
