import fc from 'fast-check';

// Invalid input as buggy clients and attackers send it. Most of it is almost valid, because random noise would fail the
// first check and never reach the later ones.

const NASTY_TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\udc00\ud800',
  '\u2028\ufeff',
  '\x1f\x7f\x85',
  '%',
  '_\\%',
  "'; drop table products; --",
  '{{7*7}}',
  '__proto__',
  'constructor',
  '../../etc/passwd',
  '👕'.repeat(60),
  'e\u0301'.repeat(200),
  'x'.repeat(300),
  '-1',
  '1e309',
  'null',
  '2026-01-31T00:00:00Z',
  '0001-01-01T00:00:00-23:59',
  'https://a.example/\u00e9',
];
const NASTY_NUMBERS = [
  0,
  -0,
  -1,
  1.5,
  0.001,
  1e-7,
  1e308,
  5e-324,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 53,
  2 ** 63,
  1e12,
];

export const malformedText = fc.oneof(
  fc.constantFrom(...NASTY_TEXTS),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({
    unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
    maxLength: 20,
  }),
);
const scalar = fc.oneof(
  malformedText,
  fc.constantFrom<unknown>(...NASTY_NUMBERS, null, true, false, [], {}, [[]], [null]),
  fc.double({ noNaN: true }),
  fc.integer(),
);
const anyJson: fc.Arbitrary<unknown> = fc.oneof(
  scalar,
  fc.jsonValue({ maxDepth: 3 }),
  fc.array(scalar, { maxLength: 8 }),
  fc.dictionary(malformedText, scalar, { maxKeys: 4 }),
);

/** Generates the sample with up to three changes: a value is replaced, removed or repeated, or a field is added. */
function nearly(sample: unknown): fc.Arbitrary<unknown> {
  const how = fc.constantFrom('replace', 'replace', 'remove', 'double', 'add');
  const change = fc.record({ at: fc.nat(), how, name: malformedText, value: anyJson });
  return fc.array(change, { maxLength: 3 }).map((changes) => {
    const root: Holder = { body: structuredClone(sample) };
    for (const { at, how, name, value } of changes) {
      const places = placesIn(root);
      const [holder, key] = places[at % places.length] ?? [root, 'body'];
      if (how === 'remove') delete holder[key];
      else if (how === 'double' && Array.isArray(holder)) holder.push(structuredClone(holder[Number(key)]));
      else set(holder, how === 'add' && holder !== root ? name : key, structuredClone(value));
    }
    return root.body;
  });
}

/** Defines the field even if its name is __proto__, which an assignment would treat as the prototype. */
function set(holder: Holder, key: string, value: unknown): void {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
}

type Holder = Record<string, unknown>;

/** Returns every position in a value, at any depth, as its container and key. */
export function placesIn(holder: Holder): [Holder, string][] {
  return Object.entries(holder).flatMap(([key, value]) => [
    [holder, key],
    ...(typeof value === 'object' && value !== null ? placesIn(value as Holder) : []),
  ]);
}

/** Generates a body: usually JSON close to the sample, sometimes other JSON, truncated JSON, random bytes or none. */
export function malformedBody(sample: unknown): fc.Arbitrary<string | Buffer | undefined> {
  const json = nearly(sample).map((body) => JSON.stringify(body) ?? '');
  return fc.oneof(
    { weight: 12, arbitrary: json },
    { weight: 2, arbitrary: anyJson.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: fc.tuple(json, fc.nat(200)).map(([body, end]) => body.slice(0, end)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
}

// An unpaired surrogate has no valid UTF-8 encoding; a careless client encodes it as three invalid bytes.
const percentEncoded = malformedText.map((value) =>
  value.isWellFormed() ? encodeURIComponent(value) : `${encodeURIComponent(value.toWellFormed())}%ED%A0%80`,
);
const raw = fc.string({ unit: fc.constantFrom(...'abAB01-._~!$&\'()*+,;=:@%/?#[]|^`"<> {}'), maxLength: 30 });

/** Generates a path parameter: an existing value, or an invalid one that is percent-encoded or raw. */
export function malformedParameter(good: string): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 5, arbitrary: fc.constant(encodeURIComponent(good)) },
    { weight: 2, arbitrary: percentEncoded },
    { weight: 1, arbitrary: raw },
  );
}

const ID = '01900000-0000-7000-8000-000000000000';
const CURSORS = [
  [],
  ['products', 'name', {}, 'a', ID],
  ['products', '-price', { search: 'a' }, 1e308, ID],
  ['products', '-createdAt', {}, '9999-12-31T23:59:59-23:59', ID],
  ['products', 'toString', {}, 'a', ID],
  ['products', 'name', { toString: 'x' }, 'a', ID],
  ['products', 'name', {}, '\0', ID],
  ['orders', 'createdAt', {}, '2026-01-31T00:00:00Z', ID],
].map((parts) => Buffer.from(JSON.stringify(parts)).toString('base64url'));

const QUERY: [name: string, almostRight: string[]][] = [
  ['page', ['1', '2', '200', '0', '-1', '1e3', '99999999999999999999']],
  ['limit', ['1', '100', '101', '0', '1.5']],
  ['cursor', CURSORS],
  ['search', ['a', '%25', '_', '%5C', '%00']],
  ['sort', ['name', '-price', 'quantity', '-createdAt', 'updatedAt', '--name', 'toString']],
  ['categoryId', ['23', '0', '2147483648', '-2147483649']],
  ['sku', ['S-1', '%00']],
  ['ean', ['1', '%ED%A0%80']],
  ['updatedFrom', ['2026-01-31T00:00:00Z', '9999-12-31T23:59:59-23:59', '0001-01-01T00:00:00%2B23:59']],
  ['updatedTo', ['2026-01-31T00:00:00.123456789-03:00', '2026-02-30T00:00:00Z']],
  ['prune', ['true', 'false', '1']],
  ['toString', ['x']],
  ['__proto__', ['x']],
  ['%00', ['x']],
];
const pair = fc
  .constantFrom(...QUERY)
  .chain(([name, almostRight]) =>
    fc
      .oneof({ weight: 4, arbitrary: fc.constantFrom(...almostRight) }, percentEncoded, raw)
      .map((value) => `${name}=${value}`),
  );
/**
 * Generates a query, which is usually empty. Most calls accept no parameters, so any parameter would be rejected before
 * the later checks.
 */
export const malformedQuery: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constant('') },
  fc.array(pair, { maxLength: 5 }).map((pairs) => `?${pairs.join('&')}`),
  raw.map((value) => `?${value}`),
);

// A header value without control characters, which the HTTP parser would reject.
const headerText = fc.string({
  unit: fc
    .oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0x80, max: 0xff }))
    .map((c) => String.fromCharCode(c)),
  maxLength: 300,
});
const sometimes = (values: string[]) =>
  fc.option(fc.oneof(fc.constantFrom(...values), headerText), { nil: undefined, freq: 2 });
export const malformedHeaders: fc.Arbitrary<Record<string, string | undefined>> = fc.record({
  'content-type': fc.oneof(
    { weight: 8, arbitrary: fc.constant<string | undefined>('application/json') },
    { weight: 1, arbitrary: sometimes(['text/plain', 'application/json; charset=latin1', ';', '']) },
  ),
  'idempotency-key': sometimes(['k', '', 'k'.repeat(255), 'k'.repeat(256)]),
  'if-none-match': sometimes(['*', '""', 'W/"x", "y"']),
  'accept-version': sometimes(['1.x']),
  'user-agent': sometimes(['erp/1.0']),
});
