import { existsSync, readFileSync, statSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureDemo } from '../../src/commands/demo.js';
import { type Feira, openFeira } from '../support/feira.js';
import { blocksIn } from '../support/guide.js';
import { temporaryFolder } from '../support/process.js';

let feira: Feira;
let folder: ReturnType<typeof temporaryFolder>;

beforeAll(async () => {
  feira = await openFeira();
  folder = temporaryFolder();
});
afterAll(async () => {
  await feira.close();
  folder.remove();
});

test('the response that the README shows is the response of a new demo store', async () => {
  const { token } = await ensureDemo(feira.context, folder.path);
  const blocks = blocksIn('README.md');
  const shown = JSON.parse(blocks.find(({ language }) => language === 'json')?.text as string);
  const [, path] =
    blocks.map(({ text }) => /"\$FEIRA(\/api\/[^"]+)"/.exec(text)).find((match) => match !== null) ?? [];
  const answer = await feira.app.inject({
    url: path as string,
    headers: { authorization: `Bearer ${token}` },
  });
  const { data, meta } = answer.json();
  expect(meta).toEqual(shown.meta);
  // The id differs between stores, and the key '…' stands for omitted fields.
  const fields = shown.data.map(({ id: _id, '…': _more, ...rest }: Record<string, unknown>) => rest);
  expect(data).toHaveLength(fields.length);
  expect(data).toMatchObject(fields);
});

test('the pictures of the README exist and are small', () => {
  const root = new URL('../../../', import.meta.url);
  const pictures = [...readFileSync(new URL('README.md', root), 'utf8').matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)];
  expect(pictures.length).toBeGreaterThan(0);
  for (const [, path] of pictures) {
    const file = new URL(path as string, root);
    expect(existsSync(file), path).toBe(true);
    expect(statSync(file).size, path).toBeLessThan(150_000);
  }
});
