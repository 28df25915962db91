import { Socket } from 'node:net';
import pg from 'pg';
import { clientSettings, type Deadlines, setSession } from './settings.js';
import { DatabaseUnavailable } from './unavailable.js';

/** A connected and authenticated client with its socket. */
export interface Session {
  client: pg.Client;
  /**
   * We create the socket ourselves, because pg has no public way to drop a connection without waiting for the server.
   */
  socket: Socket;
}

export async function openSession(
  connection: pg.ClientConfig,
  deadlines: Deadlines,
  options: { pipeline?: boolean } = {},
): Promise<Session> {
  const socket = new Socket();
  const client = new pg.Client({
    ...clientSettings(connection, deadlines),
    ...options,
    stream: () => socket,
  });
  // Without a listener, an error event would terminate the process.
  client.on('error', () => {});
  // pg's own timeout ends when the session is authenticated. This timer also covers the first statements.
  const late = setTimeout(() => socket.destroy(), deadlines.connectMs);
  try {
    await client.connect();
    await client.query(setSession(deadlines));
    return { client, socket };
  } catch (error) {
    socket.destroy();
    throw new DatabaseUnavailable(`cannot connect to the database: ${(error as Error).message}`, {
      cause: error,
    });
  } finally {
    clearTimeout(late);
  }
}
