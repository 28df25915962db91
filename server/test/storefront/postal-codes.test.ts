import { expect, test } from 'vitest';
import { readPostalCode, STATES } from '../../src/storefront/postal-codes.js';

// One postal code of each capital, as published by its city hall.
test.each([
  ['69900-064', 'AC'],
  ['57020-050', 'AL'],
  ['68900-070', 'AP'],
  ['69005-000', 'AM'],
  ['40020-010', 'BA'],
  ['60025-001', 'CE'],
  ['70075-900', 'DF'],
  ['29010-935', 'ES'],
  ['74884-900', 'GO'],
  ['65010-904', 'MA'],
  ['78005-906', 'MT'],
  ['79002-942', 'MS'],
  ['30130-003', 'MG'],
  ['66020-240', 'PA'],
  ['58010-340', 'PB'],
  ['80530-908', 'PR'],
  ['50030-230', 'PE'],
  ['64000-160', 'PI'],
  ['20211-110', 'RJ'],
  ['59025-520', 'RN'],
  ['90010-190', 'RS'],
  ['76801-076', 'RO'],
  ['69301-380', 'RR'],
  ['88010-400', 'SC'],
  ['01002-900', 'SP'],
  ['49010-160', 'SE'],
  ['77015-007', 'TO'],
])('%s is in %s', (text, state) => {
  expect(readPostalCode(text)).toEqual({ value: text.replace('-', ''), state });
});

test('there are 26 states and the federal district', () => {
  expect(STATES).toHaveLength(27);
});

test('a code of eight digits that belongs to no state is unknown, and a text that is not a code is invalid', () => {
  for (const text of ['00000-000', '00999999', '78900-000', '78999-999'])
    expect(readPostalCode(text)).toEqual({ fault: 'zipUnknown' });
  for (const text of ['', '0100100', '010010000', '0100100a', '٠١٠٠١٠٠٠'])
    expect(readPostalCode(text)).toEqual({ fault: 'zip' });
});
