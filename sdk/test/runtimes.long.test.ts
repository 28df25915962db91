import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newWebhookSecret } from '../../server/src/webhooks/signing.js';
import { sign } from '../src/testing.js';
import { type ConsumerProject, openConsumerProject } from './support/consumer-project.js';
import { openLiveServer } from './support/live-server.js';
import { startProcess, startProgram, whileListening } from './support/program.js';
import { blockWith, RUN_ELSEWHERE } from './support/readme.js';
import { expectReceivedWebhook } from './support/webhook-program.js';

const run = promisify(execFile);
const SECRET = newWebhookSecret();

let project: ConsumerProject;
beforeAll(async () => {
  project = await openConsumerProject({
    '@arethetypeswrong/cli': '0.18.5',
    express: '5.3.0',
    express4: 'npm:express@4.22.3',
    workerd: '1.20261104.1',
  });
}, 600_000);
afterAll(() => project.remove());

// The profile esm-only ignores two kinds of resolution: node10, which does not support "exports", and node16-cjs, in
// which require() cannot load ES modules. (In Node 20.19, 22.12 and later, require() can.)
test('the CLI of "Are the types wrong?" reports no problem for ESM', async () => {
  const attw = join(project.path, 'node_modules/.bin/attw');
  const { stdout } = await run(attw, ['--profile', 'esm-only', '--format', 'json', project.tarball]);
  const { analysis } = JSON.parse(stdout);
  expect(Object.keys(analysis.entrypoints)).toContain('./webhooks');
  // run() rejects if the command fails. The output also lists the problems that the profile ignores.
  for (const { resolutionKind } of Object.values<{ resolutionKind?: string }>(analysis.problems))
    expect(resolutionKind).toMatch(/node10|node16-cjs/);
});

const EXPRESS = blockWith(RUN_ELSEWHERE.express);

test.each(['express', 'express4'])('the README block for Express works as printed (%s)', async (version) => {
  const code = EXPRESS.replace("from 'express'", `from '${version}'`);
  await expectReceivedWebhook((PORT) => express(`${version}.mjs`, code, PORT), SECRET);
});

test.each(['express', 'express4'])('the webhook handler works behind express.raw() (%s)', async (version) => {
  const code = EXPRESS.replace("from 'express'", `from '${version}'`).replace(
    "'/webhooks', ",
    "'/webhooks', express.raw({ type: '*/*' }), ",
  );
  await expectReceivedWebhook((PORT) => express(`${version}-raw.mjs`, code, PORT), SECRET);
});

test.each(['express', 'express4'])(
  'behind express.json() the error of the webhook handler says what to change (%s)',
  async (version) => {
    const code = EXPRESS.replace("from 'express'", `from '${version}'`).replace(
      "app.post('/webhooks', hooks.node);\napp.use(express.json());",
      "app.use(express.json());\napp.post('/webhooks', hooks.node);",
    );
    const output = await whileListening(
      (PORT) => express(`${version}-json.mjs`, code, PORT),
      async (url) => {
        const signed = await sign({ event: 'order.paid', data: { orderId: 'o1' } }, SECRET);
        expect((await fetch(`${url}/webhooks`, { method: 'POST', ...signed })).status).toBe(500);
      },
    );
    expect(output).toContain('Mount the webhook before express.json()');
  },
);

function express(name: string, code: string, PORT: string) {
  return startProgram(project.path, name, code, { PORT, WEBHOOK_SECRET: SECRET });
}

test('the README block for edge runtimes works as printed in workerd, the runtime of Cloudflare Workers', async () => {
  const server = await openLiveServer();
  const { client, store } = await server.connect();
  const product = await client.products.create({ name: 'Caneca', price: 1 });
  await bundleWorker();
  const env = { WEBHOOK_SECRET: SECRET, FEIRA_URL: server.url, FEIRA_TOKEN: store.token };
  const output = await whileListening(
    (port) => workerd(port, env),
    async (url) => {
      const data = { id: product.id, quantity: 7 };
      const signed = await sign({ event: 'stock.updated', data }, SECRET);
      expect((await fetch(url, { method: 'POST', ...signed })).status).toBe(204);
      const unsigned = await fetch(url, { method: 'POST', body: signed.body });
      expect([unsigned.status, await unsigned.text()]).toEqual([401, 'missing_signature']);
    },
  );
  expect(output).toContain('Caneca has 7 units');
  await server.close();
});

async function bundleWorker(): Promise<void> {
  await build({
    stdin: { contents: blockWith(RUN_ELSEWHERE.edge), resolveDir: project.path },
    bundle: true,
    format: 'esm',
    outfile: join(project.path, 'worker.js'),
    logLevel: 'silent',
  });
}

/** Starts workerd without compatibility flags, so no module or global of Node exists. */
function workerd(port: string, env: Record<string, string>) {
  const bindings = Object.entries(env).map(([name, text]) => `(name = "${name}", text = "${text}")`);
  writeFileSync(
    join(project.path, 'workerd.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
    const config :Workerd.Config = (
      services = [
        (name = "worker", worker = (
          modules = [(name = "worker.js", esModule = embed "worker.js")],
          compatibilityDate = "2026-01-01",
          bindings = [${bindings.join(', ')}])),
        (name = "internet", network = (allow = ["public", "private"])),
      ],
      sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "worker")]);`,
  );
  const { default: binary } = createRequire(join(project.path, 'package.json'))('workerd');
  return startProcess(binary, ['serve', 'workerd.capnp'], project.path, {});
}
