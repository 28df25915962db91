import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import type { S3Config } from '../../src/platform/config-s3.js';
import { freePort, hasExited, temporaryFolder, until } from './process.js';

const run = promisify(execFile);

export interface Ceph {
  /** The S3 settings for Feira. */
  s3: S3Config;
  stop(): Promise<void>;
}

/**
 * Starts a real S3 server (Ceph) on loopback: a monitor, an in-memory object store and the gateway. Creates one user
 * and one bucket. There is no manager, so pools are not scaled automatically; one placement group per pool is enough.
 */
export async function startCeph(): Promise<Ceph> {
  // Rarely, the monitor rejects a command that is sent right after its start. Another start usually succeeds.
  for (let left = STARTS - 1; ; left--) {
    try {
      return await startOnce();
    } catch (error) {
      if (left === 0) throw error;
    }
  }
}

async function startOnce(): Promise<Ceph> {
  const folder = temporaryFolder();
  const [monitor, gateway] = [await freePort(), await freePort()];
  const conf = ['-c', writeConf(folder.path, monitor, gateway)];
  const running: ChildProcess[] = [];
  // Processes are stopped in reverse order, because each one uses the processes started before it until it exits.
  const stop = async () => {
    for (const child of running.reverse()) await end(child);
    folder.remove();
  };
  try {
    const map = join(folder.path, 'monmap');
    const address = `[v1:127.0.0.1:${monitor}]`;
    await run('monmaptool', ['--create', '--fsid', FSID, '--addv', 'a', address, map]);
    await run('ceph-mon', [...conf, '--mkfs', '-i', 'a', '--monmap', map]);
    running.push(spawn('ceph-mon', [...conf, '-i', 'a', '-f'], { stdio: 'ignore' }));
    const uuid = randomUUID();
    await run('ceph', [...conf, 'osd', 'new', uuid], COMMAND_LIMIT);
    await run('ceph', [...conf, 'osd', 'crush', 'add', 'osd.0', '1', 'root=default'], COMMAND_LIMIT);
    await run('ceph-osd', [...conf, '-i', '0', '--mkfs', '--osd-uuid', uuid]);
    running.push(spawn('ceph-osd', [...conf, '-i', '0', '-f'], { stdio: 'ignore' }));
    const s3 = {
      endpoint: `http://127.0.0.1:${gateway}`,
      bucket: 'feira',
      region: 'us-east-1',
      accessKeyId: 'FEIRATESTACCESSKEY',
      secretAccessKey: 'a secret of the tests',
    };
    await createUser(conf, s3);
    running.push(spawn('radosgw', [...conf, '-n', 'client.rgw', '-f'], { stdio: 'ignore' }));
    await until(async () => (await fetch(s3.endpoint).catch(() => undefined))?.status === 200);
    await createBucket(s3);
    return { s3, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const FSID = randomUUID();
/**
 * The timeout of one command. Even if a command hangs in every start, the three starts together take less than the
 * 180 s of the hook that calls startCeph().
 */
const COMMAND_LIMIT = { timeout: 50_000 };
const STARTS = 3;

/**
 * Writes ceph.conf. If `update on start` were true, the object store would send commands as soon as it starts. At that
 * time it may not know the id of the cluster yet. The monitor would then reject the commands, and the object store
 * would exit.
 */
function writeConf(folder: string, monitor: number, gateway: number): string {
  for (const name of ['mon', 'osd', 'rgw']) mkdirSync(join(folder, name));
  const path = join(folder, 'ceph.conf');
  writeFileSync(
    path,
    `[global]
fsid = ${FSID}
mon host = v1:127.0.0.1:${monitor}
public addr = 127.0.0.1
cluster addr = 127.0.0.1
auth cluster required = none
auth service required = none
auth client required = none
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
mon allow pool size one = true
osd crush chooseleaf type = 0
osd crush update on start = false
osd class update on start = false
osd objectstore = memstore
paxos propose interval = 0.05
paxos min wait = 0.02
run dir = ${folder}
log file = ${folder}/$name.log
admin socket = ${folder}/$name.asok
pid file = ${folder}/$name.pid
mon data = ${folder}/mon
osd data = ${folder}/osd
osd journal = ${folder}/osd/journal
rgw data = ${folder}/rgw
rgw frontends = beast endpoint=127.0.0.1:${gateway}
`,
  );
  return path;
}

async function createUser(conf: string[], { accessKeyId, secretAccessKey }: S3Config): Promise<void> {
  const user = ['--uid=feira', '--display-name=Feira'];
  const keys = [`--access-key=${accessKeyId}`, `--secret=${secretAccessKey}`];
  await run('radosgw-admin', [...conf, 'user', 'create', ...user, ...keys], COMMAND_LIMIT);
}

async function createBucket({ endpoint, region, bucket, ...credentials }: S3Config): Promise<void> {
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  client.destroy();
}

async function end(child: ChildProcess): Promise<void> {
  if (hasExited(child)) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timeout = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await ended;
  clearTimeout(timeout);
}
