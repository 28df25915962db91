import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { Feira } from './feira.js';

// The folder with PostgreSQL's programs. PG_BIN overrides it.
const BIN = process.env.PG_BIN ?? '/usr/lib/postgresql/15/bin';
const IS_ROOT = process.getuid?.() === 0;

/** A PostgreSQL server from the Linux distribution, with data and socket in its own folder. */
export class PostgresCluster {
  private constructor(
    private readonly folder: string,
    private readonly settings: Record<string, string>,
  ) {}

  static start(settings: Record<string, string> = { fsync: 'off' }, parent = tmpdir()): PostgresCluster {
    const folder = newFolder(parent);
    const data = join(folder, 'data');
    run('initdb', '-D', data, '-A', 'trust', '-U', 'feira', '-E', 'UTF8', '--locale=C.UTF-8');
    const cluster = new PostgresCluster(folder, settings);
    cluster.startServer();
    return cluster;
  }

  /** Starts a standby that streams from this cluster. It has its own folder and must be closed separately. */
  startStandby(): PostgresCluster {
    const folder = newFolder(tmpdir());
    run('pg_basebackup', '-h', this.folder, '-U', 'feira', '-D', join(folder, 'data'), '-R', '-c', 'fast');
    const standby = new PostgresCluster(folder, this.settings);
    standby.startServer();
    return standby;
  }

  startServer(): void {
    const all = { listen_addresses: "''", unix_socket_directories: this.folder, ...this.settings };
    const options = Object.entries(all).map(([name, value]) => `-c ${name}=${value}`);
    run('pg_ctl', '-D', this.data, '-w', '-l', join(this.folder, 'log'), '-o', options.join(' '), 'start');
  }

  /** Stops the server without a clean shutdown, as a crash would. */
  killServer(): void {
    run('pg_ctl', '-D', this.data, '-w', '-m', 'immediate', 'stop');
  }

  private get data(): string {
    return join(this.folder, 'data');
  }

  get connection(): Feira['connection'] {
    return { host: this.folder, port: 5432, user: 'feira', database: 'postgres' };
  }

  async createDatabase(name: string): Promise<Feira['connection']> {
    const client = new pg.Client(this.connection);
    await client.connect();
    await client.query(`create database ${name}`);
    await client.end();
    return { ...this.connection, database: name };
  }

  /** Dumps a database and returns the path of the dump. */
  dump(database: string): string {
    const file = join(this.folder, `${database}.dump`);
    run('pg_dump', '-h', this.folder, '-U', 'feira', '-Fc', '-f', file, database);
    return file;
  }

  async restore(file: string, database: string): Promise<Feira['connection']> {
    const connection = await this.createDatabase(database);
    run('pg_restore', '-h', this.folder, '-U', 'feira', '-d', database, file);
    return connection;
  }

  close(): void {
    this.killServer();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function newFolder(parent: string): string {
  const folder = mkdtempSync(join(parent, 'feira-cluster-'));
  if (IS_ROOT) execFileSync('chown', ['postgres', folder]);
  return folder;
}

/** Runs a program under another account if this process is root, because PostgreSQL refuses to run as root. */
function run(program: string, ...args: string[]): void {
  const command = [join(BIN, program), ...args];
  const [file, ...rest] = IS_ROOT ? ['runuser', '-u', 'postgres', '--', ...command] : command;
  execFileSync(file!, rest, { stdio: ['ignore', 'ignore', 'inherit'] });
}
