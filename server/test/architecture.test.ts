import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { EVENT_NAMES } from '../src/events/names.js';

const SRC = fileURLToPath(new URL('../src/', import.meta.url));
const ROOT = join(SRC, '../..');

/**
 * The domains that each domain may import from. A domain may import only from domains whose keys come after its own, so
 * that there are no cycles.
 */
const PERMITTED: Record<string, string[]> = {
  main: ['commands', 'platform'],
  commands: [
    'assembly',
    'app',
    'worker',
    'resources',
    'docs',
    'storefront',
    'checkout',
    'shipping',
    'payments',
    'orders',
    'catalog',
    'webhooks',
    'media',
    'events',
    'oauth',
    'stores',
    'accounts',
    'platform',
  ],
  assembly: [
    'app',
    'worker',
    'resources',
    'checkout',
    'payments',
    'shipping',
    'orders',
    'webhooks',
    'media',
    'events',
    'oauth',
    'accounts',
    'platform',
  ],
  resources: ['orders', 'media', 'oauth', 'platform'],
  app: ['api', 'pages', 'shipping', 'webhooks', 'media', 'oauth', 'platform'],
  api: ['shipping', 'orders', 'catalog', 'webhooks', 'media', 'oauth', 'platform'],
  pages: [
    'site',
    'docs',
    'storefront',
    'payments',
    'console',
    'partners',
    'oauth',
    'stores',
    'accounts',
    'platform',
  ],
  site: ['docs', 'platform'],
  docs: ['platform'],
  worker: ['checkout', 'payments', 'orders', 'webhooks', 'events', 'media', 'oauth', 'accounts', 'platform'],
  storefront: [
    'checkout',
    'payments',
    'shipping',
    'orders',
    'catalog',
    'media',
    'events',
    'stores',
    'accounts',
    'platform',
  ],
  checkout: ['payments', 'shipping', 'orders', 'catalog', 'events', 'stores', 'platform'],
  console: ['payments', 'webhooks', 'oauth', 'stores', 'accounts', 'platform'],
  payments: ['orders', 'stores', 'platform'],
  shipping: ['orders', 'catalog', 'events', 'stores', 'accounts', 'platform'],
  orders: ['catalog', 'events', 'platform'],
  partners: ['webhooks', 'oauth', 'stores', 'accounts', 'platform'],
  webhooks: ['events', 'platform'],
  catalog: ['media', 'events', 'platform'],
  media: ['events', 'platform'],
  events: ['platform'],
  oauth: ['stores', 'accounts', 'platform'],
  stores: ['accounts', 'platform'],
  accounts: ['platform'],
  platform: [],
};

interface Import {
  file: string;
  from: string;
  to: string;
  target: string;
}

const imports = sourceFiles().flatMap(importsOf);

test('the scan finds more than 100 imports', () => {
  expect(imports.length).toBeGreaterThan(100);
});

test('each domain imports only from permitted domains', () => {
  const forbidden = imports
    .filter(({ from, to }) => from !== to && !PERMITTED[from]?.includes(to))
    .map(({ file, target }) => `${file} imports ${target}`);
  expect(forbidden).toEqual([]);
});

test('the permitted imports between domains form no cycle', () => {
  const order = Object.keys(PERMITTED);
  const backward = order.flatMap((from, index) =>
    PERMITTED[from]!.filter((to) => order.indexOf(to) <= index).map((to) => `${from} → ${to}`),
  );
  expect(backward).toEqual([]);
});

test('the imports between files form no cycle', () => {
  const edges = new Map<string, string[]>();
  for (const { file, target } of imports) {
    const imported = existsSync(join(SRC, target)) ? target : target.replace(/\.ts$/, '.tsx');
    edges.set(file, [...(edges.get(file) ?? []), imported]);
  }
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, path: string[]) => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' → '));
    if (done.has(file) || path.includes(file)) return;
    for (const target of edges.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of edges.keys()) visit(file, []);
  expect(circles).toEqual([]);
});

test('only api.ts and pages.ts import routes.ts or schema.ts of another domain', () => {
  const leaks = imports
    .filter(
      ({ from, to, target }) =>
        from !== to && !['api', 'pages'].includes(from) && /\/(routes|schema)\.tsx?$/.test(target),
    )
    .map(({ file, target }) => `${file} imports ${target}`);
  expect(leaks).toEqual([]);
});

test('only platform/config.ts reads process.env', () => {
  expect(filesWith(/process\.env/)).toEqual(['platform/config.ts']);
});

test('only platform/crypto/hmac.ts computes and compares signatures', () => {
  expect(filesWith(/createHmac|timingSafeEqual/)).toEqual(['platform/crypto/hmac.ts']);
});

test('each event is built in exactly one file', () => {
  const builtIn = (name: string) => filesWith(new RegExp(`event: '${name}',|select .*, '${name}',`));
  expect(EVENT_NAMES.map((name) => [name, builtIn(name).length])).toEqual(
    EVENT_NAMES.map((name) => [name, 1]),
  );
});

test('every exported function and class has a unique name', () => {
  const files = new Map<string, string[]>();
  for (const file of sourceFiles())
    for (const [, name] of textOf(file).matchAll(
      /^export (?:async )?(?:function\*?|class|const(?= \w+[^=]*= (?:fixed|async)?\s*\()) (\w+)/gm,
    ))
      files.set(name!, [...(files.get(name!) ?? []), file]);
  expect(files.size).toBeGreaterThan(300);
  expect([...files].filter(([, { length }]) => length > 1)).toEqual([]);
});

test('no file is named utils, helpers, common, service or manager', () => {
  expect(
    sourceFiles().filter((file) => /(^|[/-])(utils?|helpers?|common|services?|managers?)\.tsx?$/.test(file)),
  ).toEqual([]);
});

test('every TypeScript file and style sheet that is not generated has at most 250 lines', () => {
  const code = ['server/src', 'server/test', 'sdk/src', 'sdk/test', 'bench'];
  const files = [
    ...code.flatMap((folder) => filesIn(folder, /\.tsx?$/)),
    ...filesIn('server/public', /\.css$/),
  ].filter((file) => !file.includes('/dist/'));
  expect(files.length).toBeGreaterThan(700);
  expect(files).toContain('server/public/shop/base.css');
  const linesOf = (file: string) => readFileSync(join(ROOT, file), 'utf8').trimEnd().split('\n').length;
  // Only the types of the SDK are generated.
  expect(files.filter((file) => linesOf(file) > 250)).toEqual(['sdk/src/types.ts']);
});

// Words and names that were replaced by clearer ones and must not return.
const AVOIDED =
  /\b(anew|by itself|unless told|is told of|tells the|stands twice|whoever|nobody|of a moment|there is nothing at|lists what there is|not allowed here|codes what is not there|knows no|wares|shelf)\b/i;
const AVOIDED_NAMES = /\b(eachByItself|inLine|tells|itsRow|thatHaveIt|Till|Seat|Lane|doomed_files)\b/;

test('the words that were replaced by clearer ones do not occur', () => {
  const here = 'server/test/architecture.test.ts';
  const folders = ['server/src', 'server/test', 'server/public', 'sdk', 'bench', 'docs'];
  const files = folders.flatMap((folder) => filesIn(folder, /\.(tsx?|m?js|css|md)$/));
  // Decision records are not checked, because they are never rewritten.
  const written = files.filter((file) => !/\/(dist|node_modules|decisions)\//.test(file) && file !== here);
  expect(written.length).toBeGreaterThan(500);
  const found = written.filter((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    return AVOIDED.test(text) || AVOIDED_NAMES.test(text);
  });
  expect(found).toEqual([]);
});

function sourceFiles(): string[] {
  return (readdirSync(SRC, { recursive: true }) as string[]).filter((file) => /\.tsx?$/.test(file)).sort();
}

/** Returns the files in a folder of the repository whose names match the pattern. */
function filesIn(folder: string, pattern: RegExp): string[] {
  const names = readdirSync(join(ROOT, folder), { recursive: true }) as string[];
  return names.filter((name) => pattern.test(name)).map((name) => `${folder}/${name}`);
}

function textOf(file: string): string {
  return readFileSync(join(SRC, file), 'utf8');
}

function filesWith(pattern: RegExp): string[] {
  return sourceFiles().filter((file) => pattern.test(textOf(file)));
}

function importsOf(file: string): Import[] {
  return [...textOf(file).matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)\.js'/g)].map((match) => {
    const target = relative(SRC, join(SRC, file, '..', `${match[1]}.ts`));
    return { file, from: domainOf(file), to: domainOf(target), target };
  });
}

function domainOf(file: string): string {
  return file.split('/')[0]!.replace(/\.tsx?$/, '');
}
