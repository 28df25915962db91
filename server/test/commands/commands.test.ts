import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommand } from '../support/command-line.js';
import { cloneDatabase, databaseEnv } from '../support/database.js';
import { feiraCommand, type ServerProcess, startServer } from '../support/process.js';

const SECRET = 'a secret of at least thirty-two characters';
let env: Record<string, string>;
let drop: () => Promise<void>;
let server: ServerProcess;

beforeAll(async () => {
  const { connection, drop: dropDatabase } = await cloneDatabase();
  drop = dropDatabase;
  env = databaseEnv(connection, SECRET);
  server = await startServer(env);
});
afterAll(async () => {
  await server.stop('SIGTERM');
  await drop();
});

async function answerOf(args: string[], run = runCommand) {
  const { code, stdout, stderr } = await run([...args, '--json'], env);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

const newStore = (name: string) => [
  'store',
  'create',
  '--name',
  name,
  '--owner-email',
  'ana@loja.example',
  '--owner-password',
  'correct horse',
];
const newApp = [
  'app',
  'create',
  '--name',
  'ERP',
  '--redirect-uri',
  'https://erp.example/cb',
  '--redirect-uri',
  'http://localhost:9000/cb',
];

describe('while a server is running', () => {
  test('a store, app and token created on the command line work immediately', async () => {
    const store = await answerOf(newStore('Loja da Ana'), feiraCommand);
    expect(store).toEqual({ workspaceId: expect.any(String), slug: 'loja-da-ana' });
    const app = await answerOf(newApp);
    expect(app).toEqual({ clientId: expect.any(String), clientSecret: expect.any(String) });
    const token = await answerOf([
      ...['token', 'issue', '--store', store.workspaceId, '--client-id', app.clientId],
      ...['--scope', 'products:read stock:write'],
    ]);
    expect(token).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 7200,
      refresh_token: expect.any(String),
      scope: 'products:read stock:write',
    });
    const me = await fetch(`${server.url}/api/v1/me`, {
      headers: { authorization: `Bearer ${token.access_token}` },
    });
    expect(await me.json()).toMatchObject({
      workspaceId: store.workspaceId,
      scopes: ['products:read', 'stock:write'],
      app: { clientId: app.clientId, name: 'ERP' },
    });
  });

  test('an owner who already has a store gets another one with its own slug', async () => {
    const first = await answerOf(newStore('Duas Lojas'));
    const second = await answerOf(newStore('Duas Lojas'));
    expect(second.workspaceId).not.toBe(first.workspaceId);
    expect(second.slug).toMatch(/^duas-lojas-[0-9a-f]{8}$/);
  });

  test('a raised budget applies to the next call after the command', async () => {
    const { workspaceId } = await answerOf(newStore('Busy'));
    const { clientId } = await answerOf(newApp);
    const { access_token } = await answerOf([
      'token',
      'issue',
      '--store',
      workspaceId,
      '--client-id',
      clientId,
      '--scope',
      'products:read',
    ]);
    const limit = async () => {
      const response = await fetch(`${server.url}/api/v1/me`, {
        headers: { authorization: `Bearer ${access_token}` },
      });
      return response.headers.get('x-ratelimit-limit');
    };
    expect(await limit()).toBe('120');
    const answer = await answerOf([
      'budget',
      'set',
      '--store',
      workspaceId,
      '--client-id',
      clientId,
      '--per-minute',
      '600',
    ]);
    expect(answer).toEqual({ workspaceId, clientId, perMinute: 600 });
    expect(await limit()).toBe('600');
  });

  test('doctor reports only the missing durability of a test database, and migrate has nothing to do', async () => {
    const { code, stdout } = await runCommand(['doctor', '--json'], env);
    expect(code).toBe(1);
    const { findings } = JSON.parse(stdout) as { findings: { what: string; ok: boolean }[] };
    expect(findings.filter(({ ok }) => !ok).map(({ what }) => what)).toEqual(['durability']);
    expect(await answerOf(['migrate'])).toEqual({ applied: [] });
  });

  test('doctor reports a replica, an S3 server and a Redis server that do not respond, and reveals no secret', async () => {
    const { code, stdout } = await runCommand(['doctor', '--json'], {
      ...env,
      REPLICA_URL: 'postgres://feira:hunter2@127.0.0.1:1/feira',
      REDIS_URL: 'redis://:hunter2@127.0.0.1:1',
      S3_ENDPOINT: 'http://127.0.0.1:2',
      S3_BUCKET: 'b',
      S3_ACCESS_KEY_ID: 'a',
      S3_SECRET_ACCESS_KEY: 'hunter2',
    });
    expect(code).toBe(1);
    const { findings } = JSON.parse(stdout) as { findings: { what: string; ok: boolean; say: string }[] };
    const saidOf = (what: string) => findings.find((finding) => finding.what === what && !finding.ok)?.say;
    expect(saidOf('replica')).toContain('REPLICA_URL');
    expect(saidOf('storage')).toContain('S3_ENDPOINT');
    expect(saidOf('budgets')).toContain('REDIS_URL');
    expect(stdout).not.toContain('hunter2');
  });

  test('doctor reports a data folder that is a file', async () => {
    const { stdout } = await runCommand(['doctor', '--json'], { ...env, FEIRA_DATA: import.meta.filename });
    const { findings } = JSON.parse(stdout) as { findings: { what: string; ok: boolean }[] };
    expect(findings).toContainEqual(expect.objectContaining({ what: 'data folder', ok: false }));
    expect(findings).toContainEqual(expect.objectContaining({ what: 'storage', ok: false }));
  });
});

test('help lists the commands, and each command has its own help', async () => {
  const { stdout } = await runCommand(['--help'], env);
  const names = [
    'serve',
    'listen',
    'store create',
    'store list',
    'store accent',
    'store limits',
    'app create',
    'app list',
    'token issue',
    'budget set',
    'buy',
    'gateway pay',
    'gateway cancel',
    'gateway refund',
    'carrier scan',
    'simulate',
    'migrate',
    'doctor',
  ];
  // Each command is on a line of its own, followed by its summary.
  expect([...stdout.matchAll(/^ {2}(\S+(?: \S+)?) {2,}\S/gm)].map(([, name]) => name)).toEqual(names);
  for (const name of names) {
    const own = await runCommand([...name.split(' '), '--help'], env);
    expect(own.code).toBe(0);
    expect(own.stdout).toContain(`Usage: feira ${name}`);
    expect(own.stdout).toContain('--json');
    expect(await runCommand(['help', ...name.split(' ')], env)).toEqual(own);
  }
  const ofGroup = await runCommand(['help', 'gateway'], env);
  expect(ofGroup.stdout).toContain('gateway refund');
  expect(ofGroup.stdout).not.toContain('serve');
});

test('--version prints the version, as text and as JSON', async () => {
  const file = new URL('../../package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  expect(await feiraCommand(['--version'], env)).toEqual({
    code: 0,
    stdout: `feira ${version}\n`,
    stderr: '',
  });
  expect(JSON.parse((await runCommand(['--version', '--json'], env)).stdout)).toEqual({ version });
});
