import fc from 'fast-check';
import { malformedText } from './malformed-input.js';

// Almost valid forms, as buggy clients and attackers send them.

const VALUES = [
  '0',
  '1',
  '-1',
  '1e9',
  'on',
  'true',
  'paid',
  'approve',
  '\0',
  '\ud800'.toWellFormed(),
  '💥',
  '%',
  '01001000',
];
const value = fc.oneof(fc.constantFrom(...VALUES), malformedText);

/**
 * Generates the form with up to three fields replaced, removed, repeated or added, and sometimes a truncated form or
 * bytes that are not a form.
 */
export function malformedForm(fields: Record<string, string>): fc.Arbitrary<string | Buffer> {
  const how = fc.constantFrom('replace', 'replace', 'remove', 'double', 'add');
  const changes = fc.array(fc.record({ at: fc.nat(), how, name: malformedText, value }), { maxLength: 3 });
  const form = changes.map((list) => {
    const pairs = Object.entries(fields);
    for (const { at, how, name, value } of list) {
      const index = pairs.length === 0 ? 0 : at % pairs.length;
      const [existing = name] = pairs[index] ?? [];
      if (how === 'replace') pairs[index] = [existing, value];
      else if (how === 'remove') pairs.splice(index, 1);
      else pairs.push([how === 'double' ? existing : name, value]);
    }
    const wellFormed = pairs.map(([name, value]): [string, string] => [
      name.toWellFormed(),
      value.toWellFormed(),
    ]);
    return new URLSearchParams(wellFormed).toString();
  });
  return fc.oneof(
    { weight: 12, arbitrary: form },
    { weight: 1, arbitrary: fc.tuple(form, fc.nat(200)).map(([text, end]) => text.slice(0, end)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
    { weight: 1, arbitrary: fc.constantFrom('%', '%zz', '%c0%80', '&&&===', '=', '+%00', '%ff%fe=%ff') },
  );
}

export const malformedFormHeaders: fc.Arbitrary<Record<string, string>> = fc.record({
  'content-type': fc.oneof(
    { weight: 9, arbitrary: fc.constant('application/x-www-form-urlencoded') },
    fc.constantFrom('', 'a', '/', 'text/plain', 'application/json', 'multipart/form-data', 'a/b;c="'),
  ),
  'accept-language': fc.constantFrom('pt-BR', 'en', '', '*', 'x;q=9'),
});
