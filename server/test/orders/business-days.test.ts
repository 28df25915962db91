import { expect, test } from 'vitest';
import { addBusinessDays, localDay } from '../../src/orders/business-days.js';

test.each([
  ['an ordinary week', '2026-08-03', 3, '2026-08-06'],
  ['a weekend', '2026-08-07', 1, '2026-08-10'],
  ['a start on Saturday', '2026-08-08', 1, '2026-08-10'],
  ['the turn of the year', '2026-12-31', 1, '2027-01-04'],
  ['Carnival', '2026-02-13', 1, '2026-02-18'],
  ['Good Friday', '2026-04-02', 1, '2026-04-06'],
  ['Good Friday of an early Easter', '2008-03-20', 1, '2008-03-24'],
  ['Tiradentes in the week of the latest possible Easter', '2038-04-20', 1, '2038-04-22'],
  ['Good Friday of the latest possible Easter', '2038-04-22', 1, '2038-04-26'],
  ['Tiradentes', '2026-04-20', 1, '2026-04-22'],
  ['Labour Day', '2026-04-30', 1, '2026-05-04'],
  ['Corpus Christi', '2026-06-03', 1, '2026-06-05'],
  ['Independence Day', '2026-09-04', 1, '2026-09-08'],
  ['Our Lady of Aparecida', '2026-10-09', 1, '2026-10-13'],
  ['All Souls’ Day', '2026-10-30', 1, '2026-11-03'],
  ['Black Consciousness Day', '2026-11-19', 1, '2026-11-23'],
  ['Christmas', '2026-12-24', 1, '2026-12-28'],
])('business days are counted correctly: %s', (_name, day, count, expected) => {
  expect(addBusinessDays(day, count)).toBe(expected);
});

test('localDay returns the date of a time in the given time zone', () => {
  const moment = Date.parse('2026-08-04T02:30:00Z');
  expect(localDay(moment, 'America/Sao_Paulo')).toBe('2026-08-03');
  expect(localDay(moment, 'UTC')).toBe('2026-08-04');
});
