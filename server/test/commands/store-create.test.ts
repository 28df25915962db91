import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/platform/db/sql.js';
import { runCommand } from '../support/command-line.js';
import { databaseEnv } from '../support/database.js';
import { type Feira, openFeira } from '../support/feira.js';
import { Merchant, PASSWORD } from '../support/merchant.js';

const SELF_SERVICE = 'future-owner@loja.example';

let feira: Feira;
let env: Record<string, string>;

beforeAll(async () => {
  feira = await openFeira();
  env = databaseEnv(feira.connection, 'a secret of at least thirty-two characters');
  const attacker = new Merchant(feira.app);
  const typed = { email: SELF_SERVICE, password: PASSWORD };
  await attacker.press(await attacker.get('/partners'), 'Create account', typed);
});
afterAll(() => feira.close());

const create = (name: string, ...options: string[]) =>
  runCommand(['store', 'create', '--name', name, ...options], env);

const owner = (email: string, password?: string) => [
  '--owner-email',
  email,
  ...(password === undefined ? [] : ['--owner-password', password]),
];

async function storesOf(email: string): Promise<string[]> {
  const rows = await feira.context.db.store('test').query<{ name: string }>(sql`
    select w.name from workspaces w join users u on u.id = w.owner_id where u.email = ${email} order by w.name`);
  return rows.map(({ name }) => name);
}

describe('a store for an e-mail that has an account', () => {
  test('is rejected if the password is not that of the account', async () => {
    const { code, stdout, stderr } = await create('Taken over', ...owner(SELF_SERVICE, 'another password'));
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`An account for ${SELF_SERVICE} exists`);
    expect(stderr).toMatch(
      /created by sign-up at \/partners on \d{4}-\d{2}-\d{2} \d{2}:\d{2} UTC, e-mail not verified/,
    );
    expect(stderr).toContain('--existing-owner');
    expect(await storesOf(SELF_SERVICE)).toEqual([]);
  });

  test('is also rejected with a password that no account can have', async () => {
    for (const password of ['short', 'x'.repeat(201)])
      expect((await create('Taken over', ...owner(SELF_SERVICE, password))).code).toBe(2);
    expect(await storesOf(SELF_SERVICE)).toEqual([]);
  });

  test('is created with the password of that account', async () => {
    await create('First', ...owner('bia@loja.example', 'correct horse'), '--json');
    const { code, stdout } = await create('Second', ...owner('BIA@loja.example', 'correct horse'), '--json');
    expect([code, JSON.parse(stdout)]).toEqual([0, { workspaceId: expect.any(String), slug: 'second' }]);
    expect(await storesOf('bia@loja.example')).toEqual(['First', 'Second']);
  });

  test('is created with --existing-owner, and the output says which account got it', async () => {
    const { code, stdout } = await create('Handed', ...owner(SELF_SERVICE), '--existing-owner', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      workspaceId: expect.any(String),
      slug: 'handed',
      owner: {
        email: SELF_SERVICE,
        createdAt: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T/),
        createdBy: 'sign-up',
        emailVerified: false,
      },
    });
    const inWords = await create('Handed too', ...owner(SELF_SERVICE), '--existing-owner');
    expect(inWords.stdout).toMatch(
      /The store belongs to future-owner@loja\.example \(account created by sign-up at \/partners on .*, e-mail not verified\)/,
    );
  });

  test('is rejected when a password is given together with --existing-owner', async () => {
    const refused = await create('Both', ...owner(SELF_SERVICE, PASSWORD), '--existing-owner');
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('either a password or --existing-owner'),
    ]);
    expect(await storesOf(SELF_SERVICE)).not.toContain('Both');
  });
});

describe('a store for an e-mail without an account', () => {
  test('is rejected with --existing-owner, and also if no password is given', async () => {
    const absent = await create('X', ...owner('unknown@loja.example'), '--existing-owner');
    expect([absent.code, absent.stderr]).toEqual([
      2,
      expect.stringContaining('No account for unknown@loja.example'),
    ]);
    const silent = await create('X', ...owner('unknown@loja.example'));
    expect([silent.code, silent.stderr]).toEqual([2, expect.stringContaining('--owner-password is missing')]);
  });

  test('is created with a password from standard input or the environment, and rejected if the input is empty', async () => {
    const named = (email: string) => ['store', 'create', '--name', email, '--owner-email', email, '--json'];
    const ways = [
      runCommand([...named('stdin@loja.example'), '--owner-password-stdin'], env, {
        input: 'correct horse\n',
      }),
      runCommand([...named('dash@loja.example'), '--owner-password', '-'], env, { input: 'correct horse' }),
      runCommand(named('variable@loja.example'), { ...env, FEIRA_OWNER_PASSWORD: 'correct horse' }),
    ];
    for (const { code, stderr } of await Promise.all(ways)) expect([code, stderr]).toEqual([0, '']);
    for (const email of ['stdin@loja.example', 'dash@loja.example', 'variable@loja.example'])
      expect((await new Merchant(feira.app).signIn(email, 'correct horse')).status).toBe(303);
    const nothing = await runCommand([...named('none@loja.example'), '--owner-password-stdin'], env);
    expect([nothing.code, nothing.stderr]).toEqual([1, expect.stringContaining('contains no password')]);
  });

  test('is rejected with a password that is too short', async () => {
    expect((await create('Weak', ...owner('weak@loja.example', 'short'))).code).toBe(2);
    expect(await storesOf('weak@loja.example')).toEqual([]);
  });

  test('has the contact e-mail that was given, not the sign-in e-mail', async () => {
    const made = await create(
      'Contact',
      ...owner('private@loja.example', 'correct horse'),
      ...['--contact-email', 'hello@loja.example', '--json'],
    );
    const { workspaceId } = JSON.parse(made.stdout);
    const [store] = await feira.context.db
      .store('test')
      .query<{ email: string }>(sql`select email from workspaces where id = ${workspaceId}`);
    expect(store!.email).toBe('hello@loja.example');
  });
});
