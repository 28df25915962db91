import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { freePort, temporaryFolder, until } from './process.js';

/** A real Redis (Debian's redis-server) on a free port of loopback, with nothing kept. */
export async function startRedis(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = temporaryFolder();
  const port = await freePort();
  const server = spawn(
    'redis-server',
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder.path],
    { stdio: 'ignore' },
  );
  await until(() => accepts(port));
  return {
    url: `redis://127.0.0.1:${port}`,
    async stop() {
      const ended = once(server, 'exit');
      server.kill('SIGTERM');
      await ended;
      folder.remove();
    },
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
