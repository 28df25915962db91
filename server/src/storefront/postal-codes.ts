/** The ranges of postal codes (CEP) of the states, by their first five digits, as published by Correios. */
const RANGES: [first: string, last: string, state: string][] = [
  ['01000', '19999', 'SP'],
  ['20000', '28999', 'RJ'],
  ['29000', '29999', 'ES'],
  ['30000', '39999', 'MG'],
  ['40000', '48999', 'BA'],
  ['49000', '49999', 'SE'],
  ['50000', '56999', 'PE'],
  ['57000', '57999', 'AL'],
  ['58000', '58999', 'PB'],
  ['59000', '59999', 'RN'],
  ['60000', '63999', 'CE'],
  ['64000', '64999', 'PI'],
  ['65000', '65999', 'MA'],
  ['66000', '68899', 'PA'],
  ['68900', '68999', 'AP'],
  ['69000', '69299', 'AM'],
  ['69300', '69399', 'RR'],
  ['69400', '69899', 'AM'],
  ['69900', '69999', 'AC'],
  ['70000', '72799', 'DF'],
  ['72800', '72999', 'GO'],
  ['73000', '73699', 'DF'],
  ['73700', '76799', 'GO'],
  ['76800', '76999', 'RO'],
  ['77000', '77999', 'TO'],
  ['78000', '78899', 'MT'],
  ['79000', '79999', 'MS'],
  ['80000', '87999', 'PR'],
  ['88000', '89999', 'SC'],
  ['90000', '99999', 'RS'],
];

/** The ranges of postal codes of some capitals, by their first five digits. */
const CITIES: [first: string, last: string, city: string][] = [
  ['01000', '05999', 'São Paulo'],
  ['08000', '08499', 'São Paulo'],
  ['20000', '23799', 'Rio de Janeiro'],
  ['29000', '29099', 'Vitória'],
  ['30000', '31999', 'Belo Horizonte'],
  ['40000', '41999', 'Salvador'],
  ['50000', '52999', 'Recife'],
  ['58000', '58099', 'João Pessoa'],
  ['60000', '60999', 'Fortaleza'],
  ['64000', '64099', 'Teresina'],
  ['66000', '66999', 'Belém'],
  ['69000', '69099', 'Manaus'],
  ['70000', '72799', 'Brasília'],
  ['73000', '73699', 'Brasília'],
  ['74000', '74899', 'Goiânia'],
  ['80000', '82999', 'Curitiba'],
  ['88000', '88099', 'Florianópolis'],
  ['90000', '91999', 'Porto Alegre'],
];

export const STATES = [...new Set(RANGES.map(([, , state]) => state))].sort();

/** `zip`: the code does not have eight digits. `zipUnknown`: no state has this code. */
export type PostalCodeFault = 'zip' | 'zipUnknown';

/** Returns the eight digits of the postal code and its state, or what is wrong with the code. */
export function readPostalCode(text: string): { value: string; state: string } | { fault: PostalCodeFault } {
  const value = text.replace(/[\s.-]/g, '');
  if (!/^\d{8}$/.test(value)) return { fault: 'zip' };
  const sector = value.slice(0, 5);
  const [, , state] = RANGES.find(([first, last]) => sector >= first && sector <= last) ?? [];
  return state === undefined ? { fault: 'zipUnknown' } : { value, state };
}

/**
 * Returns the state of a postal code, and its city if CITIES contains it. Returns undefined for an invalid or unknown
 * code.
 */
export function placeOf(text: string): { state: string; city?: string | undefined } | undefined {
  const code = readPostalCode(text);
  if ('fault' in code) return undefined;
  const sector = code.value.slice(0, 5);
  return { state: code.state, city: CITIES.find(([first, last]) => sector >= first && sector <= last)?.[2] };
}
