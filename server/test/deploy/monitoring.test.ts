import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { ATTENTIONS } from '../../src/payments/apply-notification.js';
import { cloneDatabase, databaseEnv } from '../support/database.js';
import { freePort, ROOT, startServer } from '../support/process.js';

interface Rule {
  alert?: string;
  record?: string;
  expr: string;
  annotations?: { runbook: string };
}

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const rulesOf = (file: string): Rule[] =>
  parse(read(`deploy/prometheus/${file}`)).groups.flatMap((group: { rules: Rule[] }) => group.rules);

const alerts = rulesOf('alerts.yaml');
const recordings = rulesOf('recording-rules.yaml');
const expressions = [
  ...[...alerts, ...recordings].map(({ expr }) => expr),
  ...readdirSync(join(ROOT, 'deploy/grafana')).flatMap((file) =>
    [...read(`deploy/grafana/${file}`).matchAll(/"expr": "((?:[^"\\]|\\.)*)"/g)].map(([, expr]) =>
      String(JSON.parse(`"${expr}"`)),
    ),
  ),
];
/** Metric names start with feira, nodejs or process, or are `up`. Functions, labels and numbers do not. */
const metricsIn = (expr: string) =>
  (expr.replace(/"[^"]*"/g, '').match(/\b(?:feira|nodejs|process)[_:][\w:]+|\bup\b/g) ?? []) as string[];

let metrics: string;
let served: Set<string>;
let close: () => Promise<unknown>;

beforeAll(async () => {
  const { connection, drop } = await cloneDatabase();
  const server = await startServer({
    ...databaseEnv(connection, '3f9c1d7e5b2a4860918273645546372819a0b1c2d3e4f506'),
    // Nothing listens at these addresses, but the metrics of Redis and of the replica must exist nevertheless.
    REDIS_URL: `redis://127.0.0.1:${await freePort()}`,
    REPLICA_URL: `postgres://feira@127.0.0.1:${await freePort()}/feira`,
  });
  close = async () => {
    await server.stop('SIGTERM');
    await drop();
  };
  await fetch(`${server.url}/docs`);
  metrics = await (await fetch(`${server.url}/metrics`)).text();
  const samples = metrics.split('\n').filter((line) => !line.startsWith('#') && line !== '');
  served = new Set(samples.map((line) => line.split(/[{ ]/)[0]!));
});
afterAll(() => close?.());

test('alerts, recording rules and the dashboard use only metrics that exist', () => {
  const recorded = recordings.map(({ record }) => record!);
  // Prometheus records "up" itself, and the metric of the embedded database exists only without DATABASE_URL.
  const known = new Set([...served, ...recorded, 'up', 'feira_embedded_postgres_restarts_total']);
  const used = new Set(expressions.flatMap(metricsIn));
  expect(used.size).toBeGreaterThan(20);
  expect([...used].filter((name) => !known.has(name))).toEqual([]);
});

test('every counter of payments that need attention starts at zero, so that the first increase is seen', () => {
  for (const reason of ATTENTIONS)
    expect(metrics).toContain(`feira_payment_notifications_attention_total{reason="${reason}"} 0`);
});

test('every metric whose name starts with feira_ is on the dashboard or in a rule', () => {
  const used = new Set(expressions.flatMap(metricsIn));
  const own = [...served].filter((name) => name.startsWith('feira_'));
  expect(own.filter((name) => !used.has(name))).toEqual([]);
});

test('every alert has a section in the operations guide and a unit test', () => {
  const headings = read('docs/OPERATIONS.md').match(/^#{2,4} .*/gm) ?? [];
  const unitTests = readdirSync(join(ROOT, 'deploy/prometheus'))
    .filter((file) => file.endsWith('.test.yaml'))
    .map((file) => read(`deploy/prometheus/${file}`))
    .join('');
  for (const { alert, annotations } of alerts) {
    expect(headings, alert).toContain(`#### ${alert}`);
    expect(annotations?.runbook).toBe(`docs/OPERATIONS.md#${alert!.toLowerCase()}`);
    expect(unitTests.split(`alertname: ${alert}\n`).length, `unit test of ${alert}`).toBeGreaterThan(1);
  }
});
