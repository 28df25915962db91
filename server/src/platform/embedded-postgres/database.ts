import pg from 'pg';

export interface Connection {
  host: string;
  port: number;
  user: string;
  database: string;
}

export const USER = 'feira';
const DATABASE = 'feira';

type Address = { host: string; port: number };

/**
 * Tests the connection, and creates the database if it does not exist. Returns undefined while the server does not
 * accept connections.
 */
export async function connectToEmbedded(address: Address): Promise<Connection | undefined> {
  const connection = { host: address.host, port: address.port, user: USER, database: DATABASE };
  try {
    await runOnce(connection, 'select 1');
  } catch (error) {
    if (isNotServing(error)) return undefined;
    if (codeOf(error) !== '3D000') throw error;
    await createDatabase(connection);
  }
  return connection;
}

export async function isServing(address: Address): Promise<boolean> {
  try {
    await runOnce({ host: address.host, port: address.port, user: USER, database: 'postgres' }, 'select 1');
    return true;
  } catch (error) {
    if (isNotServing(error)) return false;
    throw error;
  }
}

async function createDatabase(connection: Connection): Promise<void> {
  try {
    await runOnce({ ...connection, database: 'postgres' }, `create database ${DATABASE}`);
  } catch (error) {
    // These codes mean that another process created the database at the same time.
    if (codeOf(error) !== '42P04' && codeOf(error) !== '23505') throw error;
  }
}

async function runOnce(connection: Connection, statement: string): Promise<void> {
  // ssl is set explicitly because PGSSLMODE in the environment would otherwise enable it even on a Unix socket.
  const client = new pg.Client({ ...connection, ssl: false, connectionTimeoutMillis: 5000 });
  // If the connection is lost after connecting, the client emits 'error', and without a listener that would end the
  // process. The event can be ignored, because the pending or next query rejects as well.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(statement);
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * Returns whether the server is starting or shutting down (57P01 to 57P03), or whether the connection failed, was lost
 * or timed out.
 */
function isNotServing(error: unknown): boolean {
  const code = codeOf(error);
  if (code === undefined) return /terminated|timeout/.test(String(error));
  return code.startsWith('57P') || ['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE'].includes(code);
}

function codeOf(error: unknown): string | undefined {
  return (error as { code?: string }).code;
}
