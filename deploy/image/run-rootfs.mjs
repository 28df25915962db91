#!/usr/bin/env node
// Starts what build-rootfs.mjs built, the way a container engine would: in its own root folder, which is read-only,
// with its own /tmp, under the account of the image. This script must run as root, because it mounts file systems.
// The second form runs the image's health check instead.
//
//   node deploy/image/run-rootfs.mjs <folder> [NAME=value …] [-- arguments that replace CMD]
//   node deploy/image/run-rootfs.mjs <folder> [NAME=value …] -- --healthcheck
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const [folder, ...rest] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write('Usage: node deploy/image/run-rootfs.mjs <folder> [NAME=value …] [-- arguments]\n');
  process.exit(2);
}
const image = JSON.parse(readFileSync(join(folder, 'image.json'), 'utf8'));
const end = rest.indexOf('--');
const variables = (end < 0 ? rest : rest.slice(0, end)).map((text) => text.split(/=(.*)/s).slice(0, 2));
const [uid, gid] = image.user.split(':');

function command() {
  if (end < 0) return [...image.entrypoint, ...image.cmd];
  return rest[end + 1] === '--healthcheck'
    ? image.healthcheck
    : [...image.entrypoint, ...rest.slice(end + 1)];
}

// unshare replaces the shell, and the server replaces unshare, so that signals to our child process reach the server.
const MOUNT_AND_RUN = `
mount --bind "$1" "$1"
mount --rbind /proc "$1/proc"
mount --rbind /dev "$1/dev"
mount -o remount,bind,ro "$1"
mount -t tmpfs tmpfs "$1/tmp"
root=$1; shift
exec unshare --root="$root" "$@"`;

const child = spawn(
  'unshare',
  [
    ...[
      '--mount',
      '--propagation=private',
      'sh',
      '-ec',
      MOUNT_AND_RUN,
      'sh',
      join(resolve(folder), 'rootfs'),
    ],
    ...[`--wd=${image.workdir}`, `--setgid=${gid}`, `--setuid=${uid}`, ...command()],
  ],
  {
    stdio: 'inherit',
    env: {
      PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
      ...image.env,
      ...Object.fromEntries(variables),
    },
  },
);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGTERM' ? 143 : 1)));
