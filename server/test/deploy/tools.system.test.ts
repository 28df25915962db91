import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ROOT, temporaryFolder } from '../support/process.js';

const folder = temporaryFolder();
afterAll(() => folder.remove());

const deploy = (path: string) => join(ROOT, 'deploy', path);
function run(program: string, args: string[], env: Record<string, string> = {}): SpawnSyncReturns<string> {
  const { PATH = '' } = process.env;
  return spawnSync(program, args, {
    encoding: 'utf8',
    // Debian installs haproxy in a folder that is on the PATH of root only.
    env: { PATH: `${PATH}:/usr/sbin`, HOME: folder.path, ...env },
  });
}
const outputOf = ({ stdout, stderr, error }: SpawnSyncReturns<string>) => `${stdout}${stderr}${error ?? ''}`;

test('promtool accepts the configuration and the rules of Prometheus', () => {
  const checked = run('promtool', ['check', 'config', deploy('prometheus/prometheus.yaml')]);
  expect(checked.status, outputOf(checked)).toBe(0);
  expect(outputOf(checked)).toContain('2 rule files found');
});

test('the unit tests of the alerts pass', () => {
  const files = readdirSync(deploy('prometheus')).filter((file) => file.endsWith('.test.yaml'));
  expect(files.length).toBeGreaterThan(0);
  const tested = run('promtool', ['test', 'rules', ...files.map((file) => deploy(`prometheus/${file}`))]);
  expect(tested.status, outputOf(tested)).toBe(0);
});

test('haproxy accepts its configuration', () => {
  const certificate = join(folder.path, 'certificate.pem');
  const made = run('openssl', [
    ...'req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=shop.example.com'.split(' '),
    ...['-keyout', certificate, '-out', `${certificate}.crt`],
  ]);
  expect(made.status, outputOf(made)).toBe(0);
  writeFileSync(certificate, readFileSync(certificate, 'utf8') + readFileSync(`${certificate}.crt`, 'utf8'));
  const config = join(folder.path, 'haproxy.cfg');
  const text = readFileSync(deploy('haproxy/haproxy.cfg'), 'utf8');
  writeFileSync(config, text.replace('/etc/haproxy/certs/', certificate));
  const checked = run('haproxy', ['-c', '-f', config]);
  expect(checked.status, outputOf(checked)).toBe(0);
});

test('caddy accepts its configuration, for localhost and for a domain', () => {
  for (const [publicUrl, storageUrl] of [
    ['https://localhost', 'http://storage.localhost'],
    ['https://shop.example.com', 'https://storage.example.com'],
  ]) {
    const checked = run(
      'caddy',
      ['validate', '--adapter', 'caddyfile', '--config', deploy('caddy/Caddyfile')],
      { PUBLIC_URL: publicUrl!, STORAGE_URL: storageUrl! },
    );
    expect(checked.status, outputOf(checked)).toBe(0);
  }
});

test.each(['feira-api', 'feira-worker', 'feira-migrate'])(
  'systemd accepts %s.service and rates its exposure below 2 out of 10',
  (name) => {
    // systemd checks that the program exists, and on this machine node may not be in /usr/bin.
    const units = join(folder.path, 'units');
    mkdirSync(units, { recursive: true });
    const unit = join(units, `${name}.service`);
    const text = readFileSync(deploy(`systemd/${name}.service`), 'utf8');
    writeFileSync(unit, text.replace('/usr/bin/node', process.execPath));
    const verified = run('systemd-analyze', ['verify', '--man=no', unit]);
    expect(verified.status, outputOf(verified)).toBe(0);
    expect(outputOf(verified)).not.toContain(unit);
    const rated = run('systemd-analyze', ['security', '--no-pager', '--offline=true', unit]);
    const [, exposure] = /Overall exposure level for .*: (\d+\.\d)/.exec(rated.stdout) ?? [];
    expect(Number(exposure), outputOf(rated)).toBeLessThan(2);
  },
);
