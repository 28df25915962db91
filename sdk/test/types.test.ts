import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
// @ts-expect-error: the script has no type declarations
import { generateTypes } from '../scripts/generate-types.mjs';
import type { OrderStatus } from '../src/types.js';

test('the committed types are those of openapi.json (after a change to the API: npm run sdk:types)', () => {
  const committed = readFileSync(new URL('../src/types.ts', import.meta.url), 'utf8');
  expect(generateTypes()).toBe(committed);
});

test('an enum stays open for values that the API adds later', () => {
  const status: OrderStatus = 'a value that the API adds later';
  const known: OrderStatus = 'paid';
  expect([status, known]).toHaveLength(2);
});
