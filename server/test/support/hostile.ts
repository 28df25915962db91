import { placesIn } from './malformed-input.js';

// Large inputs, up to the maximum request size, designed to make careless code take quadratic time.

export const MAX_BYTES = 1_048_000;
/** Node accepts 16 kB for the request line and the headers together. */
const MAX_HEAD_BYTES = 15_000;

/** Texts that are repeated up to the requested size. The most expensive ones to normalize come first. */
const UNITS: Record<string, string> = {
  'combining marks out of their canonical order': '\u0301\u0316',
  'letters that expand when normalized': '\ufdfa',
  'one letter': 'a',
  digits: '1',
  blanks: ' ',
  'words of two letters': 'ab ',
  'dots and at signs': 'a@.',
  'percent signs, underscores and backslashes': '%_\\',
  'halves of surrogate pairs': '\ud83d',
};

function repeated(unit: string, bytes: number): string {
  return unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)));
}

export interface Hostile {
  name: string;
  payload: string;
}

/** Bodies derived from a valid one, each with one hostile value. */
export function* hostilePlaces(sample: unknown, bytes: number): Generator<Hostile> {
  const copy = { body: structuredClone(sample) };
  for (const [holder, key] of placesIn(copy).slice(1)) {
    const value = holder[key];
    holder[key] = MARK;
    const [before, after] = JSON.stringify(copy.body).split(`"${MARK}"`) as [string, string];
    holder[key] = value;
    for (const [name, json] of hostileValues(value, bytes - 500))
      yield { name: `${name} in ${key}`, payload: before + json + after };
  }
}

const MARK = 'the hostile value goes here';

/** Bodies that are hostile as a whole, for any route. */
export const hostileBodies = remembered(function* (bytes: number): Generator<Hostile> {
  yield { name: 'distinct names', payload: `{${list(bytes, (i) => `"${i}":1`)}}` };
  yield { name: 'names that expand when normalized', payload: `{${list(bytes, (i) => `"\ufdfa${i}":1`)}}` };
  yield { name: 'one name repeated', payload: `{${list(bytes, () => '"name":1')}}` };
  yield { name: 'deep arrays', payload: `{"name":${deep('[', ']', bytes)}}` };
  yield { name: 'deep objects', payload: `{"name":${deep('{"a":', '}', bytes, '1')}}` };
  yield { name: 'a bare array', payload: `[${list(bytes, () => '{}')}]` };
  yield { name: 'blanks', payload: `{${' '.repeat(bytes)}` };
  yield { name: 'an unterminated string of escapes', payload: `{"name":"${repeated('\\u0301', bytes)}` };
  yield { name: 'a forbidden name, escaped', payload: `{${list(bytes, () => '"\\u005f_proto__":1')}}` };
});

function* hostileValues(value: unknown, bytes: number): Generator<[string, string]> {
  if (typeof value === 'string' || value === null) yield* hostileTexts(bytes);
  if (typeof value === 'number') yield* hostileNumbers(bytes);
  if (Array.isArray(value)) {
    const element = JSON.stringify(value[0]);
    yield ['one element repeated', `[${list(bytes, () => element)}]`];
    yield ['distinct elements', `[${list(bytes, (i) => element.replace(/"(?=[,}\]]|$)/, `${i}"`))}]`];
  }
  yield* otherTypes(bytes);
}

const hostileTexts = remembered(function* (bytes: number): Generator<[string, string]> {
  for (const [name, unit] of Object.entries(UNITS))
    yield [name, JSON.stringify(repeated(unit, bytes / jsonGrowth(unit)))];
});

const hostileNumbers = remembered(function* (bytes: number): Generator<[string, string]> {
  yield ['digits', repeated('1', bytes)];
  yield ['decimals', `0.${repeated('0', bytes)}1`];
});

const otherTypes = remembered(function* (bytes: number): Generator<[string, string]> {
  yield ['arrays in arrays', deep('[', ']', bytes)];
  yield ['an object of distinct names', `{${list(bytes, (i) => `"${i}":1`)}}`];
});

/** Forms derived from a valid one. */
export function* hostileForms(fields: Record<string, string>, bytes: number): Generator<Hostile> {
  const good = new URLSearchParams(fields).toString();
  const room = bytes - good.length - 100;
  const first = Object.keys(fields)[0] ?? 'a';
  yield { name: 'distinct names', payload: `${good}&${list(room, (i) => `${i.toString(36)}=`, '&')}` };
  yield { name: 'distinct names first', payload: `${list(room, (i) => `${i.toString(36)}=`, '&')}&${good}` };
  yield { name: 'one name repeated', payload: `${good}&${list(room, () => `${first}=1`, '&')}` };
  yield { name: 'empty pairs', payload: `${good}${repeated('&', room)}` };
  yield { name: 'equal signs', payload: `${good}&${repeated('=', room)}` };
  yield { name: 'broken percent-encoding', payload: `${good}&x=${repeated('%', room)}` };
  for (const name of Object.keys(fields)) {
    const others = new URLSearchParams(Object.entries(fields).filter(([each]) => each !== name)).toString();
    for (const [shape, unit] of Object.entries(UNITS)) {
      const encoded = encodeURIComponent(unit.toWellFormed());
      yield { name: `${shape} in ${name}`, payload: `${others}&${name}=${repeated(encoded, room)}` };
    }
  }
}

/** Query strings for a route with these parameters. */
export function* hostileQueries(names: string[]): Generator<Hostile> {
  const bytes = MAX_HEAD_BYTES;
  yield { name: 'a query of distinct names', payload: list(bytes, (i) => `${i.toString(36)}=`, '&') };
  yield { name: 'a query of broken percent-encoding', payload: `x=${repeated('%', bytes)}` };
  for (const name of names) {
    yield { name: `${name} repeated`, payload: list(bytes, () => `${name}=1`, '&') };
    for (const [shape, unit] of Object.entries(UNITS)) {
      const encoded = encodeURIComponent(unit.toWellFormed());
      yield { name: `${shape} in ?${name}`, payload: `${name}=${repeated(encoded, bytes)}` };
    }
    const nested = Buffer.from(deep('[', ']', bytes * 0.7)).toString('base64url');
    yield { name: `nested arrays in ?${name}`, payload: `${name}=${nested}` };
  }
}

export const HOSTILE_HEADERS: Record<string, Record<string, string>> = Object.fromEntries(
  Object.entries({
    cookie: [list(MAX_HEAD_BYTES, (i) => `${i.toString(36)}=`, ';'), repeated('a=1;', MAX_HEAD_BYTES)],
    'accept-language': [repeated('a;q=0.1,', MAX_HEAD_BYTES), repeated('-', MAX_HEAD_BYTES)],
    'if-none-match': [repeated('W/"x", ', MAX_HEAD_BYTES), repeated('"', MAX_HEAD_BYTES)],
    'if-match': [repeated('"x" ,', MAX_HEAD_BYTES)],
    authorization: [`Bearer${repeated(' ', MAX_HEAD_BYTES)}x`, `Basic ${repeated('Ojo6', MAX_HEAD_BYTES)}`],
    'content-type': [`application/json${repeated(' ;a=b', MAX_HEAD_BYTES)}`],
    'idempotency-key': [repeated('k', MAX_HEAD_BYTES)],
    'accept-encoding': [repeated('gzip;q=0.1 ,', MAX_HEAD_BYTES)],
    accept: [repeated('a/b;q=0.1 ,', MAX_HEAD_BYTES)],
    'x-forwarded-for': [repeated('10.0.0.1 ,', MAX_HEAD_BYTES)],
    range: [`bytes=${repeated('0-1,', MAX_HEAD_BYTES)}`],
  }).flatMap(([name, values]) =>
    values.map((value, index) => [`a hostile ${name} (${index + 1})`, { [name]: value }]),
  ),
);

/** Caches what a generator yields for each size, because the result is the same for every route. */
function remembered<T>(make: (bytes: number) => Generator<T>): (bytes: number) => T[] {
  const made = new Map<number, T[]>();
  return (bytes) => {
    const found = made.get(bytes) ?? [...make(bytes)];
    made.set(bytes, found);
    return found;
  };
}

function list(bytes: number, item: (index: number) => string, separator = ','): string {
  const items: string[] = [];
  for (let size = 0, index = 0; ; index++) {
    const next = item(index);
    size += Buffer.byteLength(next) + 1;
    if (size > bytes) return items.join(separator);
    items.push(next);
  }
}

function deep(open: string, close: string, bytes: number, inner = ''): string {
  const levels = Math.floor(bytes / (open.length + close.length));
  return open.repeat(levels) + inner + close.repeat(levels);
}

function jsonGrowth(unit: string): number {
  return (Buffer.byteLength(JSON.stringify(unit)) - 2) / Buffer.byteLength(unit);
}
