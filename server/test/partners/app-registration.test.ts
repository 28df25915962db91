import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../../src/oauth/apps.js';
import { sql } from '../../src/platform/db/sql.js';
import { type Feira, openFeira } from '../support/feira.js';
import { CALLBACK } from '../support/integrator.js';
import { formOf, type Merchant } from '../support/merchant.js';
import { clientIdOn, isLive, register, secretOn, signUpIntegrator } from '../support/partners.js';

let feira: Feira;
let dev: Merchant;

beforeAll(async () => {
  feira = await openFeira();
  dev = await signUpIntegrator(feira, 'dev@erp.example');
});
afterAll(() => feira.close());

const isRefused = async (typed: Record<string, string>, sentence: string) => {
  const page = await register(dev, typed);
  expect([page.status, page.text]).toEqual([422, expect.stringContaining(sentence)]);
};

describe('an integrator', () => {
  test('registers an app and sees its secret only once', async () => {
    const made = await register(dev);
    expect(made.status).toBe(200);
    const [clientId, secret] = [clientIdOn(made), secretOn(made)!];
    expect(made.text).toContain('It is shown only once');
    expect(await isLive(feira, clientId, secret)).toBe(true);
    const again = await dev.get(`/partners/apps/${clientId}`);
    expect(again.status).toBe(200);
    expect(secretOn(again)).toBeUndefined();
    expect((await dev.get('/partners')).text).toContain(clientId);
  });

  test('sees all errors of a form together, and the values that were entered', async () => {
    const page = await register(dev, {
      name: ' ',
      contact: 'unknown',
      'redirect-uris': 'http://erp.example/cb\r\nftp://erp.example\r\nhttps://erp.example/#x\r\nnonsense',
    });
    expect(page.status).toBe(422);
    for (const sentence of [
      'The name must have 1 to 100 characters',
      'http://erp.example/cb must be https',
      'ftp://erp.example must be https',
      'https://erp.example/#x must not have a fragment',
      'nonsense must be an absolute URL',
      'The contact must be an e-mail address',
    ])
      expect(page.text).toContain(sentence);
    expect(formOf(page, 'Register').fields['redirect-uris']).toContain('ftp://erp.example');
    expect(secretOn(page)).toBeUndefined();
  });

  test.each([
    ['no address', ''],
    ['userinfo', 'https://erp:secret@erp.example/'],
    ['a NUL', 'https://erp.example/\0'],
    ['letters outside ASCII', 'https://erp.example/olá'],
    ['a backslash', 'https:\\\\erp.example\\cb'],
    ['no slashes', 'https:erp.example'],
    ['a script', 'javascript:alert(1)'],
    ['plain http', 'http://localhost.evil.example/'],
  ])('cannot register invalid redirect addresses: %s', async (_name, uris) => {
    expect((await register(dev, { 'redirect-uris': uris })).status).toBe(422);
  });

  test.each([
    'http://localhost:3000/cb',
    'http://127.0.0.1/',
    'http://[::1]:8/',
    'https://erp.example/?a=%20',
  ])('can register %s', async (uri) => {
    expect((await register(dev, { 'redirect-uris': uri })).status).toBe(200);
  });
});

describe('the name of an app', () => {
  test.each([
    ['a line break', 'ERP\nFeira'],
    ['a right-to-left override', 'ERP \u202ekcatta'],
    ['a bidirectional isolate', 'ERP \u2066x\u2069'],
    ['a zero-width space', 'Fei\u200bra ERP'],
    ['a soft hyphen', 'ERP\u00ad'],
    ['a line separator', 'ERP\u2028x'],
    ['a control character', 'ERP\u0007'],
    ['a private-use character', 'ERP \ue000'],
  ])('may not contain %s', (_what, name) => isRefused({ name }, 'invisible or control characters'));

  test.each([
    ['Cyrillic letters', 'Rápido Е\u0420Р'],
    ['letters that look like Latin ones', 'ꓝꓰꓲꓣꓮ'],
    ['phonetic letters', '\ua730e\u026ara'],
  ])('may not be written with %s', (_what, name) => isRefused({ name }, 'Latin letters'));

  test('needs a letter or a digit', () => isRefused({ name: '· —' }, 'a letter or a digit'));

  test.each([
    'Feira',
    'FEIRA',
    ' feira ',
    'F e i r a',
    'Feíra',
    'Fe1ra',
    'FElRA',
    'Fe|ra',
    'Feıra',
    '𝐅𝐞𝐢𝐫𝐚',
    'Ｆｅｉｒａ',
    'Feira Oficial',
    'Feira API',
    'Suporte Feira',
    'Equipe da Feira',
    'Feira™',
  ])('must not be similar to Feira: %s', (name) => isRefused({ name }, 'could be mistaken for Feira'));

  test.each([
    'Conecta ERP',
    'Feira de Santana Logística',
    'Segunda-feira Entregas',
    'Integração nº 1 (ção) & Cia.',
    'R$ 1,99 ☕',
    'Łódź Søren ERP',
  ])('may be %s', async (name) => {
    expect((await register(dev, { name })).status).toBeLessThan(400);
  });
});

describe('the redirect addresses of an app', () => {
  const addresses = (count: number) =>
    Array.from({ length: count }, (_, index) => `https://erp.example/${index}`).join('\n');

  test('are limited to twenty', async () => {
    expect((await register(dev, { 'redirect-uris': addresses(20) })).status).toBeLessThan(400);
    await isRefused({ 'redirect-uris': addresses(21) }, 'at most 20 redirect URIs');
  });

  test('cause only one error if there are too many', async () => {
    const page = await register(dev, {
      'redirect-uris': Array(1_500)
        .fill(0)
        .map((_, n) => `x${n}`)
        .join(' '),
    });
    expect(page.status).toBe(422);
    expect(page.text).toContain('at most 20 redirect URIs');
    expect(page.text).not.toContain('must be an absolute URL');
  });

  test('are limited to 2,000 characters each', async () => {
    const long = (length: number) => 'https://erp.example/'.padEnd(length, 'x');
    expect((await register(dev, { 'redirect-uris': long(2_000) })).status).toBeLessThan(400);
    await isRefused({ 'redirect-uris': long(2_001) }, 'is longer than 2,000 characters');
  });

  test.each(['https:///x', 'https:////erp.example/x', 'https://?x', 'http:///localhost/x'])(
    'need a host: %s',
    (uri) => isRefused({ 'redirect-uris': uri }, 'must be an absolute URL'),
  );
});

describe('the apps of an account', () => {
  test('are limited to fifty, even when the last ones are registered concurrently', async () => {
    const busy = await signUpIntegrator(feira, 'busy@erp.example');
    const [user] = await feira.context.db
      .store('test')
      .query<{ id: string }>(sql`select id from users where email = 'busy@erp.example'`);
    const app = { name: 'ERP', redirectUris: [CALLBACK], ownerId: user!.id };
    for (let made = 0; made < 48; made++)
      await feira.context.db.store('test').transaction((tx) => createApp(tx, app));
    const pages = await Promise.all(Array.from({ length: 5 }, () => register(busy)));
    expect(pages.filter(({ status }) => status < 400)).toHaveLength(2);
    const refused = pages.find(({ status }) => status >= 400)!;
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('at most 50 apps')]);
    expect((await register(dev)).status).toBeLessThan(400);
  });
});
