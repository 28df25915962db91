#!/usr/bin/env node
// Builds the file system of the image without a container engine, by executing the instructions of the Dockerfile:
//
//   node deploy/image/build-rootfs.mjs <empty or missing folder>
//
// The base image is replaced by the Node binary that runs this script and the libraries it needs. Each stage is a
// folder, in which RUN is executed with the npm of this machine. The last stage becomes <folder>/rootfs, and
// <folder>/image.json contains its environment, account and command. run-rootfs.mjs starts the result.
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const CONTEXT = fileURLToPath(new URL('../../', import.meta.url));
const DOCKERFILE = fileURLToPath(new URL('Dockerfile', import.meta.url));

const INSTRUCTIONS = {
  FROM(state, text) {
    const [, name] = /\sAS\s+(\S+)/i.exec(text) ?? [];
    const folder = join(state.out, name === undefined ? 'rootfs' : `stage-${name}`);
    mkdirSync(folder, { recursive: true });
    if (name !== undefined) state.stages.set(name, folder);
    Object.assign(state, { folder, image: { env: {}, workdir: '/', user: '0:0', entrypoint: [], cmd: [] } });
  },
  ENV(state, text) {
    for (const [, name, value] of text.matchAll(/(\w+)=(\S+)/g)) state.image.env[name] = value;
  },
  WORKDIR(state, text) {
    state.image.workdir = text;
    mkdirSync(join(state.folder, text), { recursive: true });
  },
  COPY(state, text) {
    const words = text.split(/\s+/);
    const stage = words[0].startsWith('--from=') ? words.shift().slice('--from='.length) : undefined;
    const target = words.pop();
    for (const source of words) {
      const from = join(stage === undefined ? CONTEXT : state.stages.get(stage), source);
      // As in Docker, the content of a folder is copied, and a file is copied into a target that ends with a slash.
      const into =
        target.endsWith('/') && !statSync(from).isDirectory() ? join(target, basename(source)) : target;
      cpSync(from, join(state.folder, state.image.workdir, into), {
        recursive: true,
        verbatimSymlinks: true,
      });
    }
  },
  RUN(state, text) {
    // Packages in the npm cache are not downloaded again.
    const env = { ...process.env, npm_config_prefer_offline: 'true', ...state.image.env };
    const cwd = join(state.folder, state.image.workdir);
    execFileSync('sh', ['-ec', text], { cwd, stdio: ['ignore', 2, 2], env });
  },
  USER(state, text) {
    state.image.user = text;
  },
  ENTRYPOINT(state, text) {
    state.image.entrypoint = JSON.parse(text);
  },
  CMD(state, text) {
    state.image.cmd = JSON.parse(text);
  },
  HEALTHCHECK(state, text) {
    state.image.healthcheck = JSON.parse(text.slice(text.indexOf('[')));
  },
  EXPOSE() {},
};

function build(out) {
  if (existsSync(join(out, 'rootfs')))
    throw new Error(`${out} already contains an image. Pass an empty folder.`);
  const state = { out, stages: new Map() };
  for (const line of readFileSync(DOCKERFILE, 'utf8').split('\n')) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [, instruction, text] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
    const execute = INSTRUCTIONS[instruction];
    if (execute === undefined) throw new Error(`build-rootfs.mjs does not support this instruction: ${line}`);
    process.stderr.write(`${line.slice(0, 110)}\n`);
    execute(state, text.trim());
  }
  addNode(state.folder);
  writeFileSync(join(out, 'image.json'), `${JSON.stringify(state.image, null, 2)}\n`);
}

/** Adds what the base image or a container engine provides: Node with its libraries, /etc/hosts and mount points. */
function addNode(rootfs) {
  const node = process.execPath;
  const libraries = execFileSync('ldd', [node], { encoding: 'utf8' }).matchAll(/(\/\S+) \(0x/g);
  for (const [, library] of libraries) copyInto(rootfs, library, library);
  copyInto(rootfs, node, '/usr/local/bin/node');
  copyInto(rootfs, '/etc/hosts', '/etc/hosts');
  for (const folder of ['proc', 'dev', 'tmp', 'var/lib/feira'])
    mkdirSync(join(rootfs, folder), { recursive: true });
}

function copyInto(rootfs, from, to) {
  mkdirSync(join(rootfs, dirname(to)), { recursive: true });
  copyFileSync(from, join(rootfs, to));
}

if (process.argv.length !== 3) {
  process.stderr.write('Usage: node deploy/image/build-rootfs.mjs <empty or missing folder>\n');
  process.exit(2);
}
build(resolve(process.argv[2]));
