import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, temporaryFolder } from './process.js';

/**
 * Builds, in a temporary folder, the version that an upgrade replaces: FEIRA_PREVIOUS_RELEASE (a tag or commit),
 * otherwise the newest tag, otherwise the commit before the newest migration. It uses the installed packages, so its
 * dependencies must be compatible with those of the version under test.
 */
export function buildPreviousRelease(): { path: string; version: string; remove(): void } {
  requireHistory();
  const version = git(
    'rev-parse',
    '--short',
    process.env.FEIRA_PREVIOUS_RELEASE ?? newestTag() ?? beforeMigration(),
  );
  const folder = temporaryFolder();
  execFileSync('bash', ['-c', 'git archive "$1" | tar -x -C "$2"', 'archive', version, folder.path], {
    cwd: ROOT,
  });
  symlinkSync(join(ROOT, 'node_modules'), join(folder.path, 'node_modules'));
  execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['-b', 'server'], { cwd: folder.path });
  return { ...folder, version };
}

function requireHistory(): void {
  if (process.env.FEIRA_PREVIOUS_RELEASE || git('rev-parse', '--is-shallow-repository') === 'false') return;
  throw new Error(
    'The previous version is built from the Git history, which a shallow clone does not have. Run: git fetch --unshallow --tags',
  );
}

function newestTag(): string | undefined {
  return git('tag', '--list', '--sort=-creatordate', '--merged', 'HEAD').split('\n')[0] || undefined;
}

function beforeMigration(): string {
  return `${git('log', '-1', '--diff-filter=A', '--format=%H', '--', 'server/migrations')}^`;
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
}
