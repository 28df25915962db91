import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { freePort, temporaryFolder, until } from './process.js';

export interface RedisProcess {
  url: string;
  port: number;
  /** Freezes or resumes the process. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  stop(): Promise<void>;
}

/** Starts a real Redis (Debian's redis-server) on loopback without persistence. */
export async function startRedis(port?: number): Promise<RedisProcess> {
  const folder = temporaryFolder();
  port ??= await freePort();
  const server = spawn(
    'redis-server',
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder.path],
    { stdio: 'ignore' },
  );
  await until(() => accepts(port as number));
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    signal: (name) => void server.kill(name),
    async stop() {
      const ended = once(server, 'exit');
      server.kill('SIGTERM');
      await ended;
      folder.remove();
    },
  };
}

/** Returns whether a server listens on the port. */
export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
