import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { ERROR_CATALOGUE, ERROR_CODES, type ErrorEntry } from '../../../src/platform/http/error-catalogue.js';

const SRC = fileURLToPath(new URL('../../../src/', import.meta.url));

// These patterns match the places where the source creates errors. The last group of each is the code.
const WITH_STATUS = /(?:new ApiError|super)\(\s*(\d{3}),\s*'(\w+)'/g;
const CONFLICT = /\bconflict\(\s*'(\w+)'/g;
/** If badRequest(…) has a second argument, it is the code. The message before it may contain calls and templates. */
const BAD_REQUEST = /\bbadRequest\((?:`[^`]*`|'[^']*'|[^()'`]|\([^()]*\))*?,\s*'(\w+)',?\s*\)/g;

interface Thrown {
  file: string;
  status: number;
  code: string;
}

function thrownIn(file: string): Thrown[] {
  const text = readFileSync(join(SRC, file), 'utf8');
  return [
    ...[...text.matchAll(WITH_STATUS)].map(([, status, code]) => ({
      file,
      status: Number(status),
      code: code!,
    })),
    ...[...text.matchAll(CONFLICT)].map(([, code]) => ({ file, status: 409, code: code! })),
    ...[...text.matchAll(BAD_REQUEST)].map(([, code]) => ({ file, status: 400, code: code! })),
    ...(/\bbadRequest\(/.test(text) ? [{ file, status: 400, code: 'bad_request' }] : []),
  ];
}

const thrown = (readdirSync(SRC, { recursive: true }) as string[])
  .filter((file) => /\.tsx?$/.test(file))
  .flatMap(thrownIn);

test('every code that the source throws is in the catalogue with its status', () => {
  expect(thrown.length).toBeGreaterThan(40);
  const strangers = thrown.filter(
    ({ status, code }) => (ERROR_CATALOGUE as Record<string, ErrorEntry>)[code]?.status !== status,
  );
  expect(strangers).toEqual([]);
});

test('every code of the catalogue is thrown somewhere in the source', () => {
  const known = new Set(thrown.map(({ code }) => code));
  expect(ERROR_CODES.filter((code) => !known.has(code))).toEqual([]);
});

test('every entry says what the code means and what to do', () => {
  for (const code of ERROR_CODES) {
    const { meaning, remedy } = ERROR_CATALOGUE[code];
    for (const text of [meaning, remedy])
      expect([code, text]).toEqual([code, expect.stringMatching(/^[A-Z].+\.$/)]);
  }
});
