import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { build } from 'esbuild';
import { publint } from 'publint';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT, temporaryFolder } from '../../server/test/support/process.js';
import { openLiveServer } from './support/live-server.js';

const run = promisify(execFile);
const SDK = join(ROOT, 'sdk');

// A consumer's project in which the package is installed as npm would install it.
const project = temporaryFolder();
let tarball: string;
beforeAll(async () => {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', project.path], { cwd: SDK });
  tarball = join(project.path, JSON.parse(stdout)[0].filename);
  const installed = join(project.path, 'node_modules/@feira/sdk');
  mkdirSync(installed, { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', installed, '--strip-components', '1']);
});
afterAll(() => project.remove());

test('the package contains the built files but no sources, tests or examples, and has no dependencies', async () => {
  const { stdout } = await run('tar', ['-tzf', tarball]);
  const files = stdout.trim().split('\n');
  for (const name of [
    'package.json',
    'README.md',
    'CHANGELOG.md',
    'LICENSE',
    'dist/index.js',
    'dist/index.d.ts',
  ])
    expect(files).toContain(`package/${name}`);
  expect(files.filter((name) => /\.(test|tsbuildinfo|map)|\/(src|test|examples)\//.test(name))).toEqual([]);
  const { dependencies } = JSON.parse(readFileSync(join(SDK, 'package.json'), 'utf8'));
  expect(dependencies).toBeUndefined();
});

test('publint reports nothing', async () => {
  const { messages } = await publint({ pkgDir: SDK, strict: true, pack: false });
  expect(messages).toEqual([]);
});

// The test ignores what the checker's profile esm-only ignores, because the package is ESM by design. CommonJS is
// tested below.
test('the checker "Are the types wrong?" reports no problem for ESM', async () => {
  const { types, ...analysis } = await checkPackage(createPackageFromTarballData(readFileSync(tarball)));
  expect(types).toMatchObject({ kind: 'included' });
  const problems = 'problems' in analysis ? analysis.problems : ['not analysed'];
  const isForEsm = (problem: (typeof problems)[number]) =>
    typeof problem === 'string' ||
    !('resolutionKind' in problem) ||
    !/node10|node16-cjs/.test(problem.resolutionKind);
  expect(problems.filter(isForEsm)).toEqual([]);
});

test('a CommonJS program can require every entry point', async () => {
  const script = `
    for (const entry of ['', '/webhooks', '/oauth', '/testing', '/node'])
      console.log(Object.keys(require('@feira/sdk' + entry)).sort().join(' '));`;
  const { stdout } = await run(process.execPath, ['-e', script], { cwd: project.path });
  expect(stdout.trim().split('\n')).toEqual([
    'Feira FeiraError MemoryBudget ReconnectNeeded reserve settle',
    'WebhookError Webhooks',
    'FeiraApp MemoryTokens',
    'sign',
    'FileBudget FileTokens',
  ]);
});

const COMPILERS = {
  'TypeScript 7': join(ROOT, 'node_modules/typescript/bin/tsc'),
  // The older version is a dependency of the package checker.
  'TypeScript 5.6': join(
    dirname(fileURLToPath(import.meta.resolve('@arethetypeswrong/core'))),
    '../node_modules/typescript/bin/tsc',
  ),
};

test.each([
  ['nodenext', 'nodenext', 'TypeScript 7', ['es2023', 'dom', 'dom.asynciterable'], []],
  ['bundler', 'esnext', 'TypeScript 7', ['es2023', 'dom', 'dom.asynciterable'], []],
  ['nodenext', 'nodenext', 'TypeScript 7', ['es2023'], ['node']],
  ['nodenext', 'nodenext', 'TypeScript 5.6', ['es2022', 'dom', 'dom.asynciterable'], []],
])('consumer code compiles (moduleResolution %s, module %s, %s, lib %s, types %s)', async (...settings) => {
  const [moduleResolution, module, compiler, lib, types] = settings;
  const folder = join(project.path, `types-${settings.flat().join('-').replaceAll('/', '')}`.slice(0, 80));
  mkdirSync(folder, { recursive: true });
  cpSync(join(SDK, 'test/consumers/consumer.ts'), join(folder, 'consumer.ts'));
  if (types.length > 0) {
    mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules/@types/node'), join(folder, 'node_modules/@types/node'));
  }
  const compilerOptions = {
    moduleResolution,
    module,
    lib,
    types,
    strict: true,
    noEmit: true,
    target: 'es2022',
  };
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts'] }));
  const { stdout } = await run(process.execPath, [
    COMPILERS[compiler as keyof typeof COMPILERS],
    '-p',
    folder,
  ]).catch((error) => error);
  expect(stdout).toBe('');
});

test('CommonJS consumer code compiles with module nodenext, which supports require() of ESM', async () => {
  const folder = join(project.path, 'types-cjs');
  mkdirSync(folder);
  cpSync(join(SDK, 'test/consumers/consumer.ts'), join(folder, 'consumer.ts'));
  writeFileSync(join(folder, 'package.json'), '{"type":"commonjs"}');
  const compilerOptions = {
    module: 'nodenext',
    lib: ['es2023', 'dom', 'dom.asynciterable'],
    types: [],
    strict: true,
  };
  const settings = { compilerOptions: { ...compilerOptions, target: 'es2022' }, files: ['consumer.ts'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
  const { stdout } = await run(process.execPath, [COMPILERS['TypeScript 7'], '-p', folder]).catch(
    (error) => error,
  );
  expect(stdout).toBe('');
  expect(readFileSync(join(folder, 'consumer.js'), 'utf8')).toContain('require("@feira/sdk/webhooks")');
});

/** Only globals that edge runtimes and browsers have in common, so neither process nor Buffer. */
const WEB_GLOBALS = {
  AbortController,
  AbortSignal,
  Blob,
  DOMException,
  Headers,
  Request,
  Response,
  TextDecoder,
  TextEncoder,
  URL,
  URLSearchParams,
  atob,
  btoa,
  clearTimeout,
  console,
  crypto,
  fetch,
  setTimeout,
};

test('a client and a webhook handler run with web-standard APIs only', async () => {
  const server = await openLiveServer();
  const { client, store } = await server.connect();
  await client.products.create({ name: 'Caneca', price: 1 });
  const { text } = await bundled('', '/webhooks', '/testing');
  const program = `${text.replace(/export\{(.*)\};\s*$/, (_all, names) => `globalThis.sdk = {${names.replace(/(\w+) as (\w+)/g, '$2: $1')}};`)}
    (async () => {
      const { Feira, Webhooks, sign } = globalThis.sdk;
      const store = new Feira({ baseUrl: ${JSON.stringify(server.url)}, token: ${JSON.stringify(store.token)} });
      const names = [];
      for await (const product of store.products.snapshot()) names.push(product.name);
      const secret = 'whsec_' + 'A'.repeat(43) + '=';
      const hooks = new Webhooks({ secret }).on('order.paid', ({ data }) => names.push(data.orderId));
      const signed = await sign({ event: 'order.paid', data: { orderId: 'o1' } }, secret);
      await hooks.fetch(new Request('https://erp.example/', { method: 'POST', ...signed }));
      return names.join(' ');
    })()`;
  expect(await runInNewContext(program, WEB_GLOBALS)).toBe('Caneca o1');
  await server.close();
});

async function bundled(...entries: string[]): Promise<{ text: string; bytes: number }> {
  const contents = entries.map((entry) => `export * from '@feira/sdk${entry}';`).join('\n');
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: project.path },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    logLevel: 'silent',
  });
  const { text } = outputFiles[0]!;
  return { text, bytes: gzipSync(text).length };
}

const ENTRIES = ['', '/oauth', '/webhooks', '/testing'];

test('everything except @feira/sdk/node can be bundled for browsers, in at most 15 kB compressed', async () => {
  const { text, bytes } = await bundled(...ENTRIES);
  expect(text).not.toContain('node:');
  expect(bytes).toBeLessThanOrEqual(15_000);
  await expect(bundled('/node')).rejects.toThrow('node:');
});

test('@feira/sdk/webhooks alone takes at most 3 kB compressed', async () => {
  expect((await bundled('/webhooks')).bytes).toBeLessThanOrEqual(3_000);
});

test('no entry point is larger than the README says', async () => {
  const readme = readFileSync(join(SDK, 'README.md'), 'utf8');
  const figures = [...readme.matchAll(/^\| .*\| ([\d.]+) kB \|$/gm)].map(([, figure]) => Number(figure));
  const sizes = await Promise.all([...ENTRIES.map((entry) => bundled(entry)), bundled(...ENTRIES)]);
  expect(figures).toHaveLength(sizes.length);
  for (const [index, { bytes }] of sizes.entries())
    expect(bytes / 1_000).toBeLessThanOrEqual(figures[index]!);
});
