import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { preparePlace } from '../src/platform/embedded-postgres/place.js';
import { feiraCommand, freePort, ROOT, startServer, temporaryFolder, until } from './support/process.js';

// What a newcomer's `npm start` does, on the embedded PostgreSQL in a folder of its own.
let folder: ReturnType<typeof temporaryFolder>;
let env: Record<string, string>;

beforeAll(() => {
  folder = temporaryFolder();
  chmodSync(folder.path, 0o755);
  env = { FEIRA_DATA: join(folder.path, 'data') };
});
afterAll(() => folder.remove());

function postmasterPid(): number {
  return Number(
    readFileSync(join(preparePlace(env.FEIRA_DATA!).folder, 'data', 'postmaster.pid'), 'utf8').split('\n')[0],
  );
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The curl line that the start prints, as a request. */
async function followCurl(output: string): Promise<Response> {
  const [, token, url] = /curl -H "Authorization: Bearer (\S+)" (\S+)/.exec(output) ?? [];
  return fetch(url!.replace('localhost', '127.0.0.1'), { headers: { authorization: `Bearer ${token}` } });
}

describe('the server on its embedded database', () => {
  test('prints a curl line that works on the first start and on the next, and Ctrl-C ends it with PostgreSQL', async () => {
    const first = await startServer(env);
    await until(() => first.output().includes('curl'));
    expect(first.output()).toContain('Sign-in        demo@feira.example');
    const products = (await (await followCurl(first.output())).json()) as { meta: { total: number } };
    expect(products.meta.total).toBe(3);
    const pid = postmasterPid();
    expect(await first.stop('SIGINT')).toBe(0);
    expect(isAlive(pid)).toBe(false);

    const second = await startServer(env);
    await until(() => second.output().includes('curl'));
    expect(
      ((await (await followCurl(second.output())).json()) as { meta: { total: number } }).meta.total,
    ).toBe(3);
    expect(await second.stop('SIGTERM')).toBe(0);
  });

  test('a worker tells its health and its metrics, and serves nothing else', async () => {
    const worker = await startServer(env, ['--role', 'worker']);
    const status = async (path: string) => (await fetch(`${worker.url}${path}`)).status;
    expect([await status('/healthz'), await status('/readyz')]).toEqual([200, 200]);
    expect(await (await fetch(`${worker.url}/metrics`)).text()).toContain(
      'feira_deliveries_delivered_total 0',
    );
    for (const path of ['/api/v1/products', '/docs', '/sign-in', '/s/demo'])
      expect(await status(path)).toBe(404);
    expect(await worker.stop('SIGTERM')).toBe(0);
  });

  test('loses nothing that was answered when it is killed, and leaves no PostgreSQL behind', async () => {
    const killed = await startServer(env);
    await until(() => killed.output().includes('curl'));
    const pid = postmasterPid();
    const token = /Bearer (\S+)"/.exec(killed.output())?.[1];
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        fetch(`${killed.url}/api/v1/products`, {
          method: 'POST',
          headers,
          body: JSON.stringify({ name: `Kept ${i}`, price: 1 }),
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201));
    await killed.stop('SIGKILL');
    await until(() => !isAlive(pid));

    const next = await startServer(env);
    const kept = await fetch(`${next.url}/api/v1/products?search=kept`, { headers });
    expect(((await kept.json()) as { meta: { total: number } }).meta.total).toBe(20);
    await next.stop('SIGTERM');
  });

  test('finishes the request that is under way when it is asked to stop', async () => {
    const server = await startServer(env);
    await until(() => server.output().includes('curl'));
    const token = /Bearer (\S+)"/.exec(server.output())?.[1];
    const body = JSON.stringify({ name: 'Under way', price: 1 });
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.write(
      `POST /api/v1/products HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
    );
    await until(() => answer.includes('100 Continue'));
    const stopped = server.stop('SIGTERM');
    await until(() => server.output().includes('stopping'));
    socket.write(body);
    expect(await stopped).toBe(0);
    expect(answer).toContain('HTTP/1.1 201 Created');
  });

  test('stops with the npm that started it', async () => {
    const port = await freePort();
    const npm = spawn('npm', ['start'], {
      cwd: ROOT,
      env: { ...process.env, ...env, PORT: String(port) },
      stdio: 'ignore',
      detached: true,
    });
    const answers = () =>
      fetch(`http://127.0.0.1:${port}/healthz`).then(
        () => true,
        () => false,
      );
    await until(answers);
    const pid = postmasterPid();
    npm.kill('SIGTERM');
    await once(npm, 'exit');
    await until(async () => !(await answers()) && !isAlive(pid));
  });

  test('takes commands without a server, and beside one that started meanwhile', async () => {
    const made = await feiraCommand(
      ['app', 'create', '--name', 'ERP', '--redirect-uri', 'https://erp.example/cb', '--json'],
      env,
    );
    expect(JSON.parse(made.stdout)).toHaveProperty('clientId');
    const doctor = await feiraCommand(['doctor'], env);
    expect(doctor.stdout).not.toContain('FAULT');
    expect(doctor.code).toBe(0);
  });
});
