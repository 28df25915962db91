import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { validate } from 'dockerfile-utils';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { ROOT } from '../support/process.js';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const dockerfile = read('deploy/image/Dockerfile');

/** The sources of the COPY instructions that copy from the repository. */
const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, sources]) =>
  sources!.split(' '),
);

test('the linter finds no fault in the Dockerfile', () => {
  expect(validate(dockerfile)).toEqual([]);
  expect(validate(dockerfile.replace('WORKDIR', 'WORKDIRS'))).not.toEqual([]);
});

test('the image runs Node 24 with a numeric user id that is not root, and has a health check', () => {
  const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
  expect(new Set(bases)).toEqual(new Set(['node:24-bookworm-slim']));
  expect(dockerfile).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m);
  expect(dockerfile).toMatch(/^HEALTHCHECK .*\/healthz/m);
});

test('.dockerignore excludes everything that the Dockerfile does not copy', () => {
  const [everything, ...kept] = read('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  expect(everything).toBe('*');
  expect(kept.map((line) => line.replace('!', '')).sort()).toEqual([...new Set(copied)].sort());
  for (const path of copied) expect(existsSync(join(ROOT, path)), path).toBe(true);
});

test('compose starts the API and the worker from the image, read-only and without capabilities', () => {
  const { services, volumes, configs } = parse(read('deploy/compose.yaml'), { merge: true });
  expect(Object.keys(services).sort()).toEqual(
    ['api', 'bucket', 'caddy', 'migrate', 'postgres', 'redis', 'storage', 'worker'].sort(),
  );
  for (const name of ['api', 'worker', 'migrate', 'bucket'])
    expect(services[name]).toMatchObject({
      build: { dockerfile: 'deploy/image/Dockerfile' },
      read_only: true,
      cap_drop: ['ALL'],
    });
  expect(services.api.command).toEqual(['serve', '--role', 'api']);
  expect(services.worker.command).toEqual(['serve', '--role', 'worker']);
  for (const { depends_on: needs = {} } of Object.values<{ depends_on?: object | string[] }>(services))
    for (const name of Array.isArray(needs) ? needs : Object.keys(needs))
      expect(services).toHaveProperty(name);
  for (const { volumes: mounts = [] } of Object.values<{ volumes?: string[] }>(services))
    for (const mount of mounts) expect(volumes).toHaveProperty(mount.split(':')[0]!);
  for (const { file } of Object.values<{ file?: string }>(configs))
    if (file !== undefined) expect(existsSync(join(ROOT, 'deploy', file)), file).toBe(true);
});

test('the environment variables of the deployments are documented', () => {
  const guide = read('docs/OPERATIONS.md');
  const variables = [
    ...Object.keys(parse(read('deploy/compose.yaml'), { merge: true }).services.api.environment),
    ...Object.keys(parse(read('deploy/kubernetes/config.yaml')).data),
    ...Object.keys(parse(read('deploy/kubernetes/secret.example.yaml')).stringData),
    ...[...read('deploy/systemd/feira.env.example').matchAll(/^(\w+)=/gm)].map(([, name]) => name!),
  ];
  expect(variables.filter((name) => !guide.includes(`\`${name}\``))).toEqual([]);
});

test('npm start, the deployments and the benchmarks start Node with the same options', () => {
  const options = /--max-semi-space-size=(\d+)\W+--v8-pool-size=(\d+)/;
  const files = [
    'package.json',
    'deploy/image/Dockerfile',
    'deploy/systemd/feira-api.service',
    'deploy/systemd/feira-worker.service',
    'deploy/local-cluster/parts/feira.sh',
    'bench/processes.ts',
    'docs/OPERATIONS.md',
  ];
  const found = files.map((file) => options.exec(read(file))?.slice(1));
  expect(found).toEqual(files.map(() => ['4', '1']));
});
