import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { prepareLocation } from '../../src/platform/embedded-postgres/location.js';
import { feiraCommand, freePort, ROOT, startServer, temporaryFolder, until } from '../support/process.js';

// These tests start the server as `npm start` does for a newcomer: on the embedded PostgreSQL, here in a temporary
// folder.

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
    readFileSync(join(prepareLocation(env.FEIRA_DATA!).folder, 'data', 'postmaster.pid'), 'utf8').split(
      '\n',
    )[0],
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

/** Reads the credentials of the demo store from the file in which the server stores them at startup. */
function savedDemo(): { token: string; password: string; clientSecret: string } {
  return JSON.parse(readFileSync(join(env.FEIRA_DATA!, 'demo.json'), 'utf8'));
}

/** Runs the curl command that the server prints at startup, in a shell. */
async function followCurl(output: string): Promise<{ data: { name: string }[] }> {
  const [line] = /curl .*/.exec(output) ?? [];
  const { stdout } = await promisify(execFile)('sh', ['-c', `${line} --silent`]);
  return JSON.parse(stdout);
}

describe('the server on its embedded database', () => {
  test('prints a curl command that works on the first start and on the next, and stops PostgreSQL on Ctrl-C', async () => {
    const first = await startServer(env);
    await until(() => first.output().includes('curl'));
    expect((await followCurl(first.output())).data).toHaveLength(3);
    const pid = postmasterPid();
    expect(await first.stop('SIGINT')).toBe(0);
    expect(isAlive(pid)).toBe(false);

    const second = await startServer(env);
    await until(() => second.output().includes('curl'));
    expect((await followCurl(second.output())).data).toHaveLength(3);
    expect(await second.stop('SIGTERM')).toBe(0);
  });

  test('keeps the demo’s secrets in a private file, and prints its path, not the secrets, if the output is not a terminal', async () => {
    chmodSync(join(env.FEIRA_DATA!, 'demo.json'), 0o644);
    const server = await startServer(env);
    await until(() => server.output().includes('curl'));
    expect(await server.stop('SIGTERM')).toBe(0);
    const file = join(env.FEIRA_DATA!, 'demo.json');
    expect(server.output()).toContain(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { token, password, clientSecret } = savedDemo();
    for (const secret of [token, password, clientSecret]) {
      expect(secret).toMatch(/^\S{12,}$/);
      expect(server.output()).not.toContain(secret);
    }
  });

  test('with --role worker serves its health and its metrics, and nothing else', async () => {
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

  test('loses no acknowledged change when it is killed, and leaves no PostgreSQL running', async () => {
    const killed = await startServer(env);
    await until(() => killed.output().includes('curl'));
    const pid = postmasterPid();
    const { token } = savedDemo();
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

  test('finishes the pending request when it is asked to stop', async () => {
    const server = await startServer(env);
    await until(() => server.output().includes('curl'));
    const { token } = savedDemo();
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

  test('keeps serving for STOP_DELAY_MS when it is asked to stop, and a second signal ends it', async () => {
    const server = await startServer({ ...env, STOP_DELAY_MS: '600000' });
    server.child.kill('SIGTERM');
    await until(async () => (await fetch(`${server.url}/healthz`)).status === 503);
    const page = await fetch(`${server.url}/docs`);
    expect([page.status, page.headers.get('connection')]).toEqual([200, 'close']);
    expect(await server.stop('SIGTERM')).toBe(1);
  });

  test('stops when the npm process that started it ends', async () => {
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

  test('does not have to run for other commands to work', async () => {
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
