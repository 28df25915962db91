import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

interface Address {
  host: string;
  port: number;
  user: string;
  database: string;
}

/**
 * A proxy to PostgreSQL that can drop packets silently, like a firewall that has lost its state. Existing and new
 * connections then receive nothing, not even a close.
 */
export class SilentProxy {
  private isSilent = false;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly target: Address,
  ) {}

  static async open(target: Address): Promise<SilentProxy> {
    const server = createServer({ allowHalfOpen: true });
    const proxy = new SilentProxy(server, target);
    server.on('connection', (socket) => proxy.accept(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  /** The address to connect to instead of the target. */
  get address(): Address {
    const { port } = this.server.address() as AddressInfo;
    return { ...this.target, host: '127.0.0.1', port };
  }

  fallSilent(): void {
    this.isSilent = true;
    for (const socket of this.sockets) {
      socket.unpipe();
      socket.removeAllListeners('close');
      socket.pause();
    }
  }

  /** Lets new connections work again. */
  comeBack(): void {
    this.isSilent = false;
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }

  private accept(client: Socket): void {
    this.keep(client);
    if (this.isSilent) return;
    const { host, port } = this.target;
    const server = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    this.keep(server);
    client.pipe(server);
    server.pipe(client);
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
  }

  private keep(socket: Socket): void {
    socket.on('error', () => {});
    this.sockets.add(socket);
  }
}
