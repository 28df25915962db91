import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { ROOT } from '../support/process.js';

interface Container {
  name: string;
  securityContext: Record<string, unknown>;
  resources: { limits: { memory: string } };
  ports?: { name: string }[];
}

interface PodSpec {
  containers: Container[];
  securityContext: Record<string, unknown>;
  automountServiceAccountToken: boolean;
}

interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  // biome-ignore lint/suspicious/noExplicitAny: the shape depends on the kind, and the compiler checks it below.
  spec?: any;
}

const FOLDER = join(ROOT, 'deploy/kubernetes');
const files = readdirSync(FOLDER).filter((file) => file !== 'kustomization.yaml');
const manifests: Manifest[] = files.flatMap((file) =>
  parseAllDocuments(readFileSync(join(FOLDER, file), 'utf8'), { strict: true }).map((document) => {
    expect(document.errors, file).toEqual([]);
    return document.toJS();
  }),
);
const ofKind = (kind: string) => manifests.filter((manifest) => manifest.kind === kind);
const workloads = [...ofKind('Deployment'), ...ofKind('Job')];
const podOf = ({ spec }: Manifest): PodSpec => spec.template.spec;

// The files to compile must be inside the repository, where the compiler finds the Kubernetes types in node_modules.
const cache = join(ROOT, 'node_modules/.cache');
mkdirSync(cache, { recursive: true });
const compiled = mkdtempSync(join(cache, 'manifests-'));
afterAll(() => rmSync(compiled, { recursive: true }));

/**
 * Compiles the manifests against types generated from the OpenAPI document of Kubernetes. The compiler reports unknown
 * fields and wrong types.
 */
function compile(sources: Record<string, Manifest[]>): string {
  for (const [name, checked] of Object.entries(sources))
    writeFileSync(join(compiled, name), checked.map(asDeclaration).join('\n'));
  const tsc = join(ROOT, 'node_modules/.bin/tsc');
  const options = '--noEmit --strict --ignoreConfig --skipLibCheck --lib es2015 --module preserve'.split(' ');
  return spawnSync(tsc, [...options, '--types', '', ...Object.keys(sources)], {
    encoding: 'utf8',
    cwd: compiled,
  }).stdout;
}

function asDeclaration(manifest: Manifest, index: number): string {
  const group = manifest.apiVersion === 'v1' ? 'core/v1' : manifest.apiVersion.replace('.k8s.io', '');
  const type = `import('kubernetes-types/${group}').${manifest.kind}`;
  return `export const manifest${index}: ${type} = ${JSON.stringify(manifest, null, 1)};`;
}

test('the manifests have only fields of the Kubernetes API, with values of the right type', () => {
  expect(manifests.length).toBeGreaterThan(10);
  const [deployment] = structuredClone(ofKind('Deployment'));
  deployment!.spec.template.spec.containers[0].readinessProb = {};
  const [budget] = structuredClone(ofKind('PodDisruptionBudget'));
  budget!.spec.selector = 'feira';
  // Both files are compiled in one run, because a run takes seconds. The second file shows that errors are detected.
  const errors = compile({ 'manifests.ts': manifests, 'wrong.ts': [deployment!, budget!] }).split('\n');
  expect(errors.filter((error) => error !== '' && !/^(wrong\.ts| )/.test(error))).toEqual([]);
  expect(errors.join('\n')).toContain('readinessProb');
  expect(errors.join('\n')).toContain('LabelSelector');
}, 300_000);

test('every container runs without privileges, on a read-only root file system, with a memory limit', () => {
  expect(workloads.map(({ metadata }) => metadata.name)).toEqual([
    'feira-api',
    'feira-worker',
    'feira-migrate',
  ]);
  for (const workload of workloads) {
    const pod = podOf(workload);
    expect(pod.automountServiceAccountToken).toBe(false);
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    for (const { securityContext, resources } of pod.containers) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(resources.limits.memory).toMatch(/Mi$/);
    }
  }
});

test('selectors match the labels of their pods, and autoscalers refer to existing deployments', () => {
  const labels = new Map(
    ofKind('Deployment').map(({ metadata, spec }) => [metadata.name, spec.template.metadata.labels]),
  );
  for (const { metadata, spec } of ofKind('Deployment'))
    expect(spec.selector.matchLabels).toEqual(labels.get(metadata.name));
  for (const { metadata, spec } of ofKind('PodDisruptionBudget'))
    expect(spec.selector.matchLabels).toEqual(labels.get(metadata.name));
  for (const { spec } of ofKind('HorizontalPodAutoscaler'))
    expect([...labels.keys()]).toContain(spec.scaleTargetRef.name);
  for (const { metadata, spec } of ofKind('Service'))
    expect(spec.selector).toEqual(labels.get(metadata.name));
  const [policy] = ofKind('NetworkPolicy');
  for (const workload of workloads)
    expect(workload.spec.template.metadata.labels).toMatchObject(policy!.spec.podSelector.matchLabels);
});

test('kustomization.yaml lists every manifest except the template of the secret', () => {
  const { resources } = parse(readFileSync(join(FOLDER, 'kustomization.yaml'), 'utf8'));
  expect([...resources].sort()).toEqual(files.filter((file) => file !== 'secret.example.yaml').sort());
});
