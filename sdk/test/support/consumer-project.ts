import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT, temporaryFolder } from '../../../server/test/support/process.js';

const run = promisify(execFile);

export interface ConsumerProject {
  path: string;
  tarball: string;
  remove(): void;
}

/** Creates a project in which npm installs the SDK as it would be published, and other packages from the registry. */
export async function openConsumerProject(packages: Record<string, string>): Promise<ConsumerProject> {
  const { path, remove } = temporaryFolder();
  const pack = ['pack', '--json', '--pack-destination', path];
  const { stdout } = await run('npm', pack, { cwd: join(ROOT, 'sdk') });
  const tarball = join(path, JSON.parse(stdout)[0].filename);
  const dependencies = { ...packages, '@feira/sdk': `file:${tarball}` };
  writeFileSync(join(path, 'package.json'), JSON.stringify({ type: 'module', dependencies }));
  await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: path });
  return { path, tarball, remove };
}
