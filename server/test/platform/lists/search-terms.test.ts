import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../../src/platform/db/sql.js';
import { newId } from '../../../src/platform/schema/ids.js';
import { type Feira, openFeira } from '../../support/feira.js';

let feira: Feira;
const workspaceId = newId();

beforeAll(async () => {
  feira = await openFeira();
});
afterAll(() => feira.close());

async function gramsOf(terms: string): Promise<string[]> {
  const [row] = await feira.context.db
    .background('test')
    .query<{ grams: string[] }>(sql`select search_grams(${workspaceId}, ${terms})::text[] as grams`);
  return row!.grams;
}

test('no gram spans two values', async () => {
  const [joined, first, second] = await Promise.all([
    gramsOf('lantern\x1fbr-7001'),
    gramsOf('lantern'),
    gramsOf('br-7001'),
  ]);
  // A value of seven bytes has four sequences of four bytes and two of six.
  expect(first).toHaveLength(6);
  expect(joined.toSorted()).toEqual([...first, ...second].toSorted());
});

const value = fc.string({ unit: fc.constantFrom(...'abcçéÉß日 .-7'), minLength: 4, maxLength: 30 });

test('the grams of a record contain the keys of every part of its values', async () => {
  const db = feira.context.db.background('test');
  const part = fc.tuple(fc.array(value, { minLength: 1, maxLength: 4 }), fc.nat(), fc.nat(), fc.nat());
  await fc.assert(
    fc.asyncProperty(part, async ([values, which, from, length]) => {
      const characters = [...values[which % values.length]!];
      const start = from % (characters.length - 3);
      const searched = characters.slice(start, start + 4 + (length % characters.length)).join('');
      const [row] = await db.query<{ found: boolean }>(sql`
        select search_grams(${workspaceId}, search_terms(variadic ${values}::text[])) @> search_keys(${workspaceId}, ${searched}) as found`);
      expect(row!.found).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test('values with the same beginning have together the grams of each of them', async () => {
  const ends = fc.array(fc.string({ unit: fc.constantFrom(...'abé日\\-7'), maxLength: 6 }), {
    minLength: 2,
    maxLength: 5,
  });
  await fc.assert(
    fc.asyncProperty(value, ends, async (beginning, each) => {
      const values = each.map((end) => beginning + end);
      const [together, ...apart] = await Promise.all([values.join('\x1f'), ...values].map(gramsOf));
      expect(new Set(together)).toEqual(new Set(apart.flat()));
    }),
    { numRuns: 200 },
  );
});

test('search terms leave out missing values and keep the others apart', async () => {
  const [row] = await feira.context.db.background('test').query<Record<string, string>>(sql`
    select search_terms('Ção\x1fAna', null, 'B-1') as some, search_terms(null) as none, search_terms('', 'x') as empty`);
  expect(row).toEqual({ some: 'cao ana\x1fb-1', none: '', empty: '\x1fx' });
});

test('search terms are the search forms of the values, whether or not these can be joined first', async () => {
  const text = fc.string({ unit: fc.constantFrom(...'AbZ1 .\\É日\x1f'), maxLength: 8 });
  const values = fc.array(fc.option(text), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(values, async (parts) => {
      const [row] = await feira.context.db.background('test').query<{ joined: string; each: string }>(sql`
        select search_terms(variadic ${parts}::text[]) as joined, coalesce((
          select string_agg(search_form(part), chr(31) order by n) from unnest((select ${parts}::text[])) with ordinality as p(part, n)
          where part is not null), '') as each`);
      expect(row!.joined).toBe(row!.each);
    }),
    { numRuns: 200 },
  );
});

test('a CPF and a CNPJ are formatted, and other texts are not', async () => {
  const [row] = await feira.context.db.background('test').query<Record<string, string | null>>(sql`
    select formatted_tax_id('12345678909') as cpf, formatted_tax_id('12ABC34501DE35') as cnpj, formatted_tax_id('1234') as other`);
  expect(row).toEqual({ cpf: '123.456.789-09', cnpj: '12.ABC.345/01DE-35', other: null });
});
