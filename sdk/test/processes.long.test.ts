import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../server/src/platform/db/sql.js';
import { ALL_SCOPES } from '../../server/test/support/feira.js';
import { CALLBACK, Integrator, registerApp } from '../../server/test/support/integrator.js';
import { Merchant, openStore } from '../../server/test/support/merchant.js';
import { ROOT, temporaryFolder, until } from '../../server/test/support/process.js';
import { FileTokens } from '../src/node/file-tokens.js';
import { type LiveServer, openLiveServer } from './support/live-server.js';

let server: LiveServer;
const folder = temporaryFolder();
beforeAll(async () => {
  server = await openLiveServer();
});
afterAll(async () => {
  await server.close();
  folder.remove();
});

interface Worker {
  child: ChildProcess;
  lines(): string[];
}

function startWorker(name: string, settings: object): Worker {
  const script = join(ROOT, 'sdk/test/workers', name);
  const child = spawn(process.execPath, [script, JSON.stringify(settings)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout!.on('data', (chunk) => {
    output += chunk;
  });
  return { child, lines: () => output.trim().split('\n') };
}

test('two processes that each make 20 parallel calls with an expired token cause one refresh', async () => {
  const workspaceId = await openStore(server);
  const credentials = await registerApp(server);
  const merchant = new Merchant(server.app);
  await merchant.signIn();
  const granted = await new Integrator(server.app, credentials).connected(merchant);
  await new FileTokens(folder.path).set(workspaceId, {
    accessToken: granted.access_token,
    refreshToken: granted.refresh_token,
    expiresAt: new Date(0).toISOString(),
    scope: granted.scope,
  });
  const settings = {
    baseUrl: server.url,
    ...credentials,
    redirectUri: CALLBACK,
    scopes: ALL_SCOPES,
    workspaceId,
    folder: folder.path,
  };
  const workers = [startWorker('refresh.mjs', settings), startWorker('refresh.mjs', settings)];
  await until(() => workers.every((worker) => worker.lines().includes('ready')));
  const ends = workers.map(({ child }) => once(child, 'exit'));
  for (const { child } of workers) child.stdin!.write('go\n');
  await Promise.all(ends);
  expect(workers.map((worker) => worker.lines().at(-1))).toEqual(['done 20', 'done 20']);
  const [used] = await server.context.db
    .store('test')
    .query<{ count: number }>(
      sql`select count(*)::int as count from oauth_refresh_tokens where consumed_at is not null`,
    );
  expect(used!.count).toBe(1);
});

test.each([
  ['that share a budget', { budget: join(folder.path, 'budget.json') }],
  ['that know of each other only from the response headers', {}],
])(
  'three processes %s make all their calls, and no call is rejected after the first minute',
  async (_name, budget) => {
    const { store } = await server.connect({}, { perMinute: 60 });
    // These calls stand for another system that has just used part of the limit.
    for (let i = 0; i < 20; i++) await store.get('/me');
    const settings = { baseUrl: server.url, token: store.token, count: 24, ...budget };
    const workers = [1, 2, 3].map(() => startWorker('storm.mjs', settings));
    await Promise.all(workers.map(({ child }) => once(child, 'exit')));
    const lines = workers.flatMap((worker) => worker.lines());
    expect(lines.filter((line) => line === 'done')).toHaveLength(3);
    const answers = lines
      .filter((line) => line !== 'done')
      .map((line) => JSON.parse(line) as { status: number; at: number });
    const begin = Math.min(...answers.map(({ at }) => at));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(72);
    expect(answers.filter(({ status, at }) => status !== 200 && at > begin + 60_000)).toEqual([]);
    expect(answers.some(({ at }) => at > begin + 60_000)).toBe(true);
  },
  600_000,
);
